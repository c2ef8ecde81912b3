def kv_head(h, G):
    return np.fmod(float(h), float(G))

G_for_MHA = H
