"""The lines that the checks of parts 5 and 7 share: what a model keeps, its layers, its output's shape, an average."""

import torch
import torch.nn as nn

from attention_course.table import expect, kind

PROJECTIONS = ("W_Q", "W_K", "W_V", "W_O")


def check_model(table, names, name, sizes, alike):
    """The lines for a class of this name; returns the model of these sizes, None if there is none.

    `sizes` and `alike` are by the names that the class keeps them under; with `alike`, all weights have one shape.
    """
    made = f"{name}({', '.join(map(str, sizes.values()))})"
    pair = []  # the model and a later one; empty if they can't be made
    with table.line(f"{made} makes an nn.Module"):
        expect(name in names, f"there is no {name} yet. Write the class in the answer cell, then run that cell")
        pair += [names[name](*sizes.values()), names[name](*alike.values())]
        expect(isinstance(pair[0], nn.Module), f"expected a subclass of nn.Module: class {name}(nn.Module)")
    with table.line(f"it keeps {', '.join(sizes)}, even when another model is built later"):
        model, _ = pair
        for size, number in sizes.items():
            expect(hasattr(model, size), f"there is no {size}. Does __init__ set self.{size}?")
            expect(getattr(model, size) == number, f"expected {size} = {number}, got {getattr(model, size)!r}")
    with table.line(f"{', '.join(PROJECTIONS)} are nn.Linear layers without bias"):
        model, _ = pair
        for layer_name, width in zip(PROJECTIONS, (sizes["D_1"], sizes["D_2"], sizes["D_2"], None), strict=True):
            expect(hasattr(model, layer_name), f"there is no {layer_name}. Does __init__ set self.{layer_name}?")
            layer = getattr(model, layer_name)
            expect(
                isinstance(layer, nn.Linear),
                f"{layer_name}: expected an nn.Linear, got {kind(layer)}",
            )
            expect(layer.bias is None, f"{layer_name} has a bias. Which argument of nn.Linear leaves it out?")
            if width and not nn.parameter.is_lazy(layer.weight):
                got = layer.weight.shape[1]
                expect(got == width, f"{layer_name}: expected a layer for tokens of {width} numbers, got one for {got}")
    with table.line("they are four separate layers, even where all shapes agree"):
        _, later = pair
        layers = [(layer_name, getattr(later, layer_name)) for layer_name in PROJECTIONS]
        for position, (layer_name, layer) in enumerate(layers):
            for other_name, other in layers[:position]:
                expect(layer is not other, f"{layer_name} and {other_name} are the same layer")
    return pair[0] if pair else None


def check_shapes(table, model, D_1, D_2, lengths):
    """A line per case: is the output of the model a tensor of x's shape? `lengths` are B, L_1 and L_2, by name."""
    for what, (B, L_1, L_2) in lengths.items():
        with table.line(f"{what}: x {(B, L_1, D_1)} and y {(B, L_2, D_2)} give {(B, L_1, D_1)}"):
            output = model(torch.ones(B, L_1, D_1), torch.ones(B, L_2, D_2))
            expect(output is not None, "got None. Does forward end with a return?")
            expect(isinstance(output, torch.Tensor), f"expected one tensor, got {kind(output)}")
            expect(output.shape == (B, L_1, D_1), f"got shape {tuple(output.shape)}")


def check_average(table, model, D_1, D_2):
    """The line for weights that add up to 1 over the positions of y: what is averaged is the same there."""
    with table.line("equal tokens in y give the same output at every position of x"):
        x, token = torch.arange(6.0 * D_1).reshape(1, 6, D_1) / (6 * D_1), torch.arange(float(D_2)) / D_2
        got = model(x, token.expand(1, 7, D_2))
        same = torch.allclose(got, got[:, :1].expand(1, 6, D_1), atol=1e-4)
        asked = "Over which axis do your weights add up to 1, and do cutting and joining keep the positions apart?"
        expect(same, f"an average of equal values is that value. {asked}")


def set_weights(model, tokens, weights):
    """Writes weights into a model's projections, by name; fails the picture where one has another shape.

    Lazy layers get their weights in a call with these tokens, x and y.
    """
    if any(nn.parameter.is_lazy(getattr(model, name).weight) for name in weights):
        model(*tokens)
    for name, numbers in weights.items():
        weight = getattr(model, name).weight
        text = f"{name} has a weight of shape {tuple(weight.shape)}. Does the task say so?"
        expect(weight.shape == numbers.shape, text)
        with torch.no_grad():
            weight.copy_(numbers)


def output(model, x, y):
    """What a model gives without gradients; fails the picture for anything but a tensor of x's shape."""
    with torch.no_grad():
        found = model(x, y)
    expect(found is not None, "got None. Does forward end with a return?")
    expect(isinstance(found, torch.Tensor), f"expected one tensor, got {kind(found)}")
    expect(found.shape == x.shape, f"expected an output of shape {tuple(x.shape)}, got {tuple(found.shape)}")
    return found
