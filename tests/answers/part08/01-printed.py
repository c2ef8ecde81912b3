def kv_head(h, G):
    print(h % G)

G_for_MHA = H
