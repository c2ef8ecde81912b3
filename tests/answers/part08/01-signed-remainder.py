def kv_head(h, G):
    g = h % G
    return g if 2 * g <= G else g - G

G_for_MHA = H
