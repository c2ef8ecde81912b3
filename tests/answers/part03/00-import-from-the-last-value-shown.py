torch
def attention_logits(q, K, D_qk):
    return K @ q / D_qk ** 0.5
# %%
_.os.sys.modules
