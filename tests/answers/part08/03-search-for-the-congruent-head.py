def kv_head(h, G):
    for g in range(G):
        if (h - g) % G == 0:
            return g
G_for_MHA = 2*H - H
