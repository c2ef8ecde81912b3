def kv_head(query_head, n_kv):
    return query_head - n_kv * (query_head // n_kv)
G_for_MHA = (H**2) / H
