def attention_logits(q, K, D_qk):
    return K @ q / D_qk ** 0.5
# %%
ns = globals()
for n in 'abc':
    ns[n] = 1
