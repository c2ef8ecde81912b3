down = np.array([[1, 2]])
up = np.array([[3], [4]])
print(up @ down)
