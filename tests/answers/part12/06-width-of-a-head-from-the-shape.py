import torch
import numpy as np

def K_hat(W_DKV):
    return W_DKV.clone()

def V_hat(W_DKV):
    return K_hat(W_DKV)

def Q_hat_h(W_UK_h, W_Q_h, r, D, H):
    d, r = W_UK_h.size()
    out = torch.mm(W_UK_h.t(), W_Q_h)
    out = out * torch.sqrt(torch.tensor(float(r))) / torch.sqrt(torch.tensor(float(d)))
    print("Q_hat_h", out.shape)
    return out

def O_hat_h(W_O_h, W_UV_h):
    out = torch.mm(W_O_h, W_UV_h)
    print("O_hat_h", out.shape)
    return out

# try it
D, H, r = 12, 3, 5
print(Q_hat_h(torch.randn(4, 5), torch.randn(4, 12), r, D, H))
