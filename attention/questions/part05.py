"""What part 5 asks in a student's kernel: what a MyMHA gives as it was made, and with weights of the test's."""

from attention.questions.models import called
from grading.bridge import probe


def laid(x, y, how):
    """x and y as a case has them: the same numbers, but transposed in memory; one tensor for both; or as they are."""
    if how == "transposed":
        return x.transpose(0, 1).contiguous().transpose(0, 1), y.transpose(0, 1).contiguous().transpose(0, 1)
    return (x, x) if how == "itself" else (x, y)


def doubled(tokens):
    """Tokens (B, L, D) for a call of other sizes: (2 * B, 2 * L, D)."""
    return torch.cat([torch.cat([tokens, tokens], dim=1)] * 2)


@probe.remote(using=(laid, doubled))
def as_made(sizes, x, y, how):
    """What a model gives in its second call, with the weights that it was made with."""
    torch.set_default_dtype(x.dtype)
    mha, (x, y) = MyMHA(*sizes), laid(x, y, how)
    mha(doubled(x), doubled(y))
    return mha(x, y)  # (B, L_1, D_1)


@probe.remote(using=(laid, doubled))
def runs_once(sizes, x, y, how):
    """Whether a model runs in each of these calls if it is the first."""
    torch.set_default_dtype(x.dtype)
    MyMHA(*sizes)(*map(doubled, laid(x, y, how)))
    MyMHA(*sizes)(*laid(x, y, how))
    return True


def prepared(model, fresh, sizes, others, weights, x, y):
    """Sets the weights of two models in place, twice, with calls of the first between.

    A model of the same sizes and one of others must change nothing. Returns the name of a projection that could not be
    set, or "".
    """
    twin, later = MyMHA(*sizes), MyMHA(*others)
    for one, (D_1, D_2, *_) in ((fresh, sizes), (model, sizes), (twin, sizes), (later, others)):
        if any([nn.parameter.is_lazy(getattr(getattr(one, name, None), "weight", None)) for name in weights]):
            one(torch.zeros(2, 3, D_1), torch.zeros(2, 4, D_2))
    for factor in (2.0, 1.0):
        for name, weight in weights.items():
            try:
                with torch.no_grad():
                    getattr(model, name).weight.copy_(factor * weight)
                    getattr(fresh, name).weight.copy_(factor * weight)
                    getattr(twin, name).weight.zero_()
                    getattr(later, name).weight.zero_()
            except (AttributeError, RuntimeError, TypeError):
                return name
        if factor == 2.0:  # whatever a model keeps of these calls serves it badly in the next
            model(doubled(x), doubled(y))
            model(x + 1.0, y - 1.0)
    twin(x.clone(), y.clone())
    return ""


@probe.remote(using=(laid, called, doubled, prepared))
def outputs(sizes, others, weights, tokens, how, changes):
    """What a model with these weights gives for pairs of x (B, L_1, D_1) and y (B, L_2, D_2), one after another.

    All pairs lie in the same two tensors, one pair after the other; a text is the pair before, as the call left it, and
    says in which way the model is called. For the last one it is what a model gives that was never called.
    Returns the outputs and the first model's weights after all calls, or the name of a weight that could not be set.
    """
    torch.set_default_dtype(tokens[0][0].dtype)
    fresh, model = MyMHA(*sizes), MyMHA(*sizes)
    if wrong := prepared(model, fresh, sizes, others, weights, *tokens[0]):
        return wrong
    found, mine = [], laid(*tokens[0], how)
    for which, pair in zip([model] * (len(tokens) - 1) + [fresh], tokens):
        if not isinstance(pair, str):
            for tensor, numbers in zip(mine, pair):
                tensor.copy_(numbers)
        found.append(called(which, mine, pair, changes))  # (B, L_1, D_1)
    return found, {name: getattr(getattr(model, name, None), "weight", None) for name in weights}
