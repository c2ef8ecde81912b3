def kv_head(h, G):
    table = np.tile(np.arange(G), h // G + 1)
    return table[h]

print("every query head has its own:", [kv_head(h, 12) for h in range(12)])
G_for_MHA = H
