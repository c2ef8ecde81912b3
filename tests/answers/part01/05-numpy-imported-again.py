import numpy as np
import torch, torch.nn as nn

shape_W_Q_h = tuple([D_qk, D_1])
shape_W_K_h = tuple([D_qk, D_2])
shape_W_V_h = tuple([D_v, D_2])
