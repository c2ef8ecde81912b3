kv_cache_MHA = 2 * D
kv_cache_MLA = r

assert torch.zeros(2, 12).numel() == kv_cache_MHA.subs(D, 12)
