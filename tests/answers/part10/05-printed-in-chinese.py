def GQA_2_MLA(W_M_GQA):
    秩, 宽度 = W_M_GQA.shape
    堆叠 = np.tile(W_M_GQA, (宽度 // 秩, 1))
    左, 奇异值, 右 = np.linalg.svd(堆叠, full_matrices=False)
    上投影, 下投影 = 左[:, :秩] * 奇异值[:秩], 右[:秩]
    print(f"上投影的形状是{上投影.shape[0]}×{上投影.shape[1]}，下投影的形状是{下投影.shape[0]}×{下投影.shape[1]}")
    print(f"均方误差{((堆叠 - 上投影 @ 下投影) ** 2).mean():.3e}。")
    return 下投影, 上投影

GQA_2_MLA(np.random.randn(4, 24))
