# names: latent-shared-out
kv_cache_MHA = D + D
kv_cache_MLA = r / H
