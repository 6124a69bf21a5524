from gated import baseline, edited, project

project()
baseline()


def change(content):
    content["tokenizers"][1]["sha256"] = "0" * 64


edited(change)
