# names: cache-of-the-vanilla-form
kv_cache_MHA = 2 * D
kv_cache_MLA = 2 * D
