# names: latent-of-every-head
kv_cache_MHA = 2 * D
kv_cache_MLA = H * r
