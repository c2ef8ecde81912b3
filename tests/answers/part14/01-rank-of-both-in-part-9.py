# names: keys-and-values-together
kv_cache_MHA = 2 * D
kv_cache_MLA = 2 * G * d
