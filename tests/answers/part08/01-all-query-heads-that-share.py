def kv_head(h, G):
    return [i for i in range(12) if i % G == h % G]

G_for_MHA = H
