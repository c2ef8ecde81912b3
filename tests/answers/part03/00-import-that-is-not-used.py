import torch
import numpy as np
import matplotlib.pyplot as plt

def attention_logits(q, K, D_qk):
    return K @ q / np.sqrt(D_qk)
