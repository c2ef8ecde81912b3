"""What `structure` asks in a student's kernel, of the models of parts 5 and 7 alike."""

from grading.bridge import probe


def called(model, tokens, how, changes):
    """A model's output: "evaluated" in evaluation mode and without gradients, "changed" with weights that are
    multiplied meanwhile, by name, which no right answer notices in its next call. What a model keeps for evaluation is
    of other tokens and weights then.
    """
    if how == "evaluated":
        getattr(model, "eval", int)()
        with torch.no_grad():
            called(model, [each + 1.0 for each in tokens], "changed", changes)
            out = model(*tokens)
        getattr(model, "train", int)()
        return out
    if how != "changed":
        return model(*tokens)
    for name, factor in changes.items():
        with torch.no_grad():
            getattr(model, name).weight.mul_(factor)
    out = model(*tokens)
    for name, factor in changes.items():  # powers of 2, so that each number comes back
        with torch.no_grad():
            getattr(model, name).weight.div_(factor)
    return out


def set_weights(model, weights):
    """Writes a model's weights in place, by the layers' names, as far as they fit."""
    for name, weight in weights.items():
        try:
            with torch.no_grad():
                getattr(model, name).weight.copy_(weight)
        except (AttributeError, RuntimeError, TypeError):
            pass


@probe.remote
def runs(name, sizes):
    """Makes a model and calls it once."""
    globals()[name](*sizes)(torch.ones(2, 3, sizes[0]), torch.ones(2, 4, sizes[1]))


@probe.remote
def make(name, cases, others):
    """Makes a model of all sizes, and then one of others."""
    if name not in globals():
        raise NameError(name, name=name)
    kept.clear()
    kept["models"] = [globals()[name](*sizes) for sizes in cases]
    kept["later"] = globals()[name](*others)


@probe.remote
def sizes(names):
    """The sizes that each model keeps, as numbers; None for what is missing or not a number."""
    found = []
    for model in kept["models"]:
        found.append({})
        for name in names:
            try:
                size = getattr(model, name)
                found[-1][name] = None if isinstance(size, (str, bytes)) else float(size)
            except (AttributeError, TypeError, ValueError, RuntimeError):
                found[-1][name] = None
    return found


@probe.remote
def describe(names, cases, others):
    """Of each model's projections the shape of the weight, or what is wrong; "model" stands for the model itself, and
    "unknown" for the layers whose weights are in none of its parameters, such as those in a plain list.
    """
    found, kept["layers"] = [], []
    for model, sizes in [*zip(kept["models"], cases), (kept["later"], others)]:
        made = [getattr(model, name, None) for name in names]
        if any([layer is None or nn.parameter.is_lazy(getattr(layer, "weight", None)) for layer in made]):
            try:
                model(torch.zeros(2, 3, sizes[0]), torch.zeros(2, 4, sizes[1]))  # a lazy layer has no weight before
            except Exception:
                pass
        found.append({"model": nn.Module in type(model).__mro__})
        known, found[-1]["unknown"] = None, []
        try:
            registered = [one for one in nn.Module.parameters(model) if not nn.parameter.is_lazy(one)]
            known = {one.untyped_storage().data_ptr() for one in registered}  # a weight may be a piece of one
        except Exception:  # it is no module, or lists them in a way of its own
            pass
        for name, layer in zip(names, made):
            if layer is None:
                found[-1][name] = "missing" if getattr(model, name, None) is None else "made in a call"
            elif not isinstance(layer, nn.Linear):
                found[-1][name] = "not linear"
            else:
                found[-1][name] = "bias" if layer.bias is not None else tuple(layer.weight.shape)
                if known is not None and layer.weight.untyped_storage().data_ptr() not in known:
                    found[-1]["unknown"].append(name)
        kept["layers"].append(dict(zip(names, made)))
    return found[:-1]


@probe.remote(using=(set_weights,))
def write(weights):
    """Writes the weights of each model in place, as far as they fit."""
    for model, numbers in zip(kept["models"], weights):
        set_weights(model, numbers)


@probe.remote
def read(names):
    """Each model's weights as they are now, and whether it still has the layers that it had."""
    found = []
    for model, layers in zip(kept["models"], kept["layers"]):
        now = {name: getattr(model, name, None) for name in names}
        weights = {name: getattr(layer, "weight", None) for name, layer in now.items()}
        for name, weight in weights.items():
            if not isinstance(weight, torch.Tensor) or nn.parameter.is_lazy(weight):
                weights[name] = None
        found.append((weights, {name: layer is layers[name] for name, layer in now.items()}))
    return found


@probe.remote
def fill_later(names):
    """Writes to the later model, which must change none of the others."""
    for name in names:
        if isinstance(getattr(kept["later"], name, None), nn.Linear):
            with torch.no_grad():
                getattr(kept["later"], name).weight.fill_(5.0)


@probe.remote
def call(cases):
    """Calls each model; one that fails loses other points."""
    for model, (D_1, D_2, *_) in zip(kept["models"], cases):
        try:
            model(torch.ones(2, 3, D_1), torch.ones(2, 4, D_2))
        except Exception:
            pass


@probe.remote
def weights_now(names):
    """The weights, after all calls, of the last of the models that a part prepared."""
    return {name: getattr(getattr(kept["models"][-1], name, None), "weight", None) for name in names}
