"""Where to look when an item is lost: one sentence that points at the idea, by part and item; never the answer."""

HINTS: dict[int, dict[str, str]] = {
    1: {
        "shape_W_Q_h": "How many numbers does the matrix take in, how many does it give, and which come first?",
        "shape_W_K_h": "Which sequence's token is a key made from, and what is it compared with?",
        "shape_W_V_h": "Which sequence's token is a value made from, and does it have the width of a key?",
    },
    2: {
        "shape_W_Q, shape_W_K, shape_W_V": "Do blocks stacked below each other add rows or columns, and how many rows does each block have?",
        "shape_q": "How many numbers does one head's query have, and how many heads are stacked?",
        "q_from_x": "On which side of the token is the matrix, and how many axes does the result have?",
        "shape_k, shape_v": "How many numbers does one head's key have, how many does its value have, and how many heads are stacked?",
        "m_from_y": "On which side of the token is the matrix, and how many axes does the result have?",
    },
    3: {
        "shape": "One query and L_2 keys: how many logits, and along how many axes?",
        "right up to a constant factor": "Which product of two vectors is linear in each, and 0 where they are perpendicular?",
        "exact": "What is the variance of the product in the text, and what must you divide a number by to bring its variance to 1?",
    },
    4: {
        "shape_o_h": "What is averaged here, and what shape does an average of vectors have?",
        "shape_o": "How many heads are stacked, and how many numbers does each have?",
        "shape_W_O_h": "What does one block act on, and in which space does its result lie?",
        "shape_W_O": "When blocks stand side by side, do the rows grow in number or the columns?",
    },
    5: {
        "attributes": "Does __init__ keep each of its five sizes under the name it came with?",
        "projections": "Which shapes did you find in parts 2 and 4, and how do you make a layer without bias?",
        "output shape": "Which axis of each tensor is B, which is a length, and do they stay apart when one of them is 1?",
        "values": "Go through the five steps of the text: does each tensor hold what its comment says, in the order of the heads, what are the logits divided by, and over which positions does the softmax run?",
        "shape comments": "Does a comment name the letters of the shape after each operation of forward?",
    },
    6: {
        "rank_relation": "Is there a row in one of the two matrices that the other does not have?",
        "A stacks the copies of every W": "Which row of W is row number i of W_tilde?",
        "B gets every W back from its copies": "Where in W_tilde do the rows of W stand, and how often?",
    },
    7: {
        "attributes": "Does __init__ store each of its arguments under its own name?",
        "projections, without copies": "How many heads does each of the four serve, and is each block kept only once?",
        "output shape": "Does it work for one sample, for one position, and for widths that all differ?",
        "values": "Which key/value head does each query head read, what are the logits divided by, and over which positions does the softmax run?",
        "shape comments": "Is there a comment such as # (B, L_1, D_1) next to the operations of forward?",
    },
    8: {
        "kv_head": "What do the numbers of the query heads that share a key/value head have in common?",
        "G_for_MHA": "How many query heads share one key/value head in MHA, and how many such heads does that take?",
    },
    9: {
        "r_MLA": "Take one of the two, keys or values: how many independent rows can its stacked matrix have at most?",
        "factor_gqa: the shapes (D, r) and (r, D)": "Which of the two does this part return first, and is their common width the r that you found?",
        "factor_gqa: the product": "Which row of W_M_GQA is row number i of the stacked matrix, also where d = 1 or G = H?",
        "factor_gqa: rank-deficient matrices": "Does anything get inverted, divided by or cut off that can be 0?",
    },
    10: {
        "order, types and shapes": "Which of the two does this part return first, and are both NumPy arrays with r as one of their sizes?",
        "the product": "Is the whole matrix copied, one copy after another? Does np.linalg.svd return V or its transpose? Does every step still work where rows depend on one another, or are 0?",
        "prints both shapes": "Does the function itself print them, for whatever r and D it gets?",
        "prints the error": "Does every call compute the mean of the squares over all entries?",
    },
    11: {
        "the shapes of the factors": "How many numbers does each matrix take in, and how many does it give out?",
        "product": "Is it computed from the two factors as they are now, and which of them stands on the left?",
        "the rows of product differ": "What makes row 0 of the product, and what makes row 1?",
    },
    12: {
        "identity (1), every head": "Which matrix stands between the query and W_DKV y, on which side can it act instead, and what do the two sides divide by?",
        "identity (2), summed over the heads": "Which matrix can leave the sum over l_2, and which matrix does it meet on its left?",
    },
    13: {
        "shapes (r, D), (r, D), (H·r, D), (D, H·r)": "Which two are shared by all heads, and along which axis are the blocks of the other two put together?",
        "equal to the vanilla model": "Which rows and columns belong to a head, in which order do the blocks stand, and does the factor hold for every D, H and r?",
        "equal at this part's sizes on the device, below 5e-4": "Is there a factor in one of the four, and is it that of part 12? On a GPU, is TF32 off?",
        "your own run: relative_error and both outputs": "Do both models have their four weights, and does the formula follow the task's?",
    },
    14: {
        "kv_cache_MHA": "Which vectors does a later position need, from how many heads, and how long is each?",
        "kv_cache_MLA": "Which vectors of a position does the reduced form need, and do they differ from one another, or from head to head?",
    },
}
