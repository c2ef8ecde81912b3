kv_cache_MHA = 0
for share in (H * d, H * d):
    kv_cache_MHA += share
kv_cache_MLA = sum([r])
