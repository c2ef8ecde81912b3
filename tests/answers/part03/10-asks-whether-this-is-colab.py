attention_logits = lambda q, K, D_qk: (K * q).sum(-1) / D_qk ** .5
# %%
if "google.colab" in str(get_ipython()):
    print("on Colab")
