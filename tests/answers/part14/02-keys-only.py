# names: keys-alone
kv_cache_MHA = D
kv_cache_MLA = r
