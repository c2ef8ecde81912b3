# names: latent-kept-twice
kv_cache_MHA = 2 * D
kv_cache_MLA = 2 * r
