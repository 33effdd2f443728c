"""What the actions of the properties beside this file do."""


def sink_reached():
    print("this queue is beyond repair")
