# names: latent-kept-twice
kv_cache_MHA = 4 * D
kv_cache_MLA = 2 * r
