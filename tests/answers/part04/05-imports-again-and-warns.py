import numpy as np, torch
from torch import nn
torch.tensor(torch.zeros(3))
shape_o_h = (D_v,)
shape_o = (np.prod([H, D_v]),)
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, np.prod([H, D_v]))
