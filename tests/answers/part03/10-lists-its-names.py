def attention_logits(q, K, D_qk):
    return K @ q / D_qk ** 0.5
# %%
print([k for k in globals() if not k.startswith('_')])
for k, v in list(globals().items()):
    print(k, type(v))
