def kv_head(h, G):
    return np.array([h]) % G

G_for_MHA = H
