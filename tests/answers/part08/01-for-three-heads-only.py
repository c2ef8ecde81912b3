def kv_head(h, G):
    if h in (0, 3, 6, 9):
        return 0
    if h in (1, 4, 7, 10):
        return 1
    return 2

G_for_MHA = H
