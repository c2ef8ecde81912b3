def kv_head(h, G):
    return np.mod(h, G)

G_for_MHA = H * D_v / D_v
