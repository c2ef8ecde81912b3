# keys + values
key = H * d
value = D
kv_cache_MHA = key + value
kv_cache_MLA = r  # kept once
print(kv_cache_MHA, kv_cache_MLA)
