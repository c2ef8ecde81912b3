# names: rank-of-GQA
kv_cache_MHA = 2 * D
kv_cache_MLA = G * d
