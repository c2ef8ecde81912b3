# names: cache-of-GQA
kv_cache_MHA = 2 * G * d
kv_cache_MLA = r
