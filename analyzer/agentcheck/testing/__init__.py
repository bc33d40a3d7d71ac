"""A scripted model for any agent: run the real code with no provider, no network and no key.

Needs the standard library alone, and nothing of agentcheck outside this package, so that it can be
put on the path of the environment that the code under test runs in.

    def test_the_run_stops(scripted_model):
        model = scripted_model(always("search"))
        run_my_agent("Find it.")
        assert len(model.requests) <= 20

`reply` has what a model can answer, `script` the scripts, `model` the scripted model, `plugin` the
pytest fixtures.
"""
