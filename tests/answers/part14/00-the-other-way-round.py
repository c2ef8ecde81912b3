# names: cache-of-the-vanilla-form
kv_cache_MHA = r
kv_cache_MLA = 2 * D
