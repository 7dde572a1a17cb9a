"""The commands in the order of the help, each with its line and the way to its module, which is loaded only when it is called."""

from collections.abc import Callable

import click


def _setup() -> click.Command:
    from everself.interfaces.cli.commands.setup import setup

    return setup


def _chat() -> click.Command:
    from everself.interfaces.cli.commands.chat import chat

    return chat


def _ask() -> click.Command:
    from everself.interfaces.cli.commands.ask import ask

    return ask


def _doctor() -> click.Command:
    from everself.interfaces.cli.commands.doctor import doctor

    return doctor


def _config() -> click.Command:
    from everself.interfaces.cli.commands.config import config

    return config


def _identity() -> click.Command:
    from everself.interfaces.cli.commands.identity import identity

    return identity


def _soul() -> click.Command:
    from everself.interfaces.cli.commands.soul import soul

    return soul


def _memory() -> click.Command:
    from everself.interfaces.cli.families import memory

    return memory


def _context() -> click.Command:
    from everself.interfaces.cli.commands.context import context

    return context


def _sessions() -> click.Command:
    from everself.interfaces.cli.commands.sessions import sessions

    return sessions


def _simulate_compaction() -> click.Command:
    from everself.interfaces.cli.commands.sessions import simulate_compaction

    return simulate_compaction


def _model() -> click.Command:
    from everself.interfaces.cli.commands.models import model

    return model


def _spend() -> click.Command:
    from everself.interfaces.cli.commands.models import spend

    return spend


def _cron() -> click.Command:
    from everself.interfaces.cli.families import cron

    return cron


def _keepers() -> click.Command:
    from everself.interfaces.cli.families import keepers

    return keepers


def _review() -> click.Command:
    from everself.interfaces.cli.commands.review import review

    return review


def _agents() -> click.Command:
    from everself.interfaces.cli.commands.agents import agents

    return agents


def _log() -> click.Command:
    from everself.interfaces.cli.commands.changes import log

    return log


def _show() -> click.Command:
    from everself.interfaces.cli.commands.changes import show

    return show


def _undo() -> click.Command:
    from everself.interfaces.cli.commands.changes import undo

    return undo


def _backup() -> click.Command:
    from everself.interfaces.cli.commands.backups import backup

    return backup


def _restore() -> click.Command:
    from everself.interfaces.cli.commands.backups import restore

    return restore


def _completion() -> click.Command:
    from everself.interfaces.cli.commands.completion import completion

    return completion


def _help() -> click.Command:
    from everself.interfaces.cli.commands.help import help_command

    return help_command


COMMANDS: dict[str, tuple[str, Callable[[], click.Command]]] = {
    "setup": ("Create an agent's workspace, or what is missing of it.", _setup),
    "chat": ("Talk to the agent.", _chat),
    "ask": ("Say one thing to the agent and print its reply.", _ask),
    "doctor": ("Look for what is wrong, and say what mends it.", _doctor),
    "config": ("Read and change settings.", _config),
    "identity": ("Show who the agent is, and where each part of it comes from.", _identity),
    "soul": ("Read the soul, decide how it grows, and take any step of it back.", _soul),
    "memory": ("Search, add, correct, forget, export: what the agent remembers.", _memory),
    "context": ("Print the prompt as the model would get it.", _context),
    "sessions": ("Look at what was said, export it, delete it.", _sessions),
    "simulate-compaction": ("Show what survives if a conversation were made shorter now.", _simulate_compaction),
    "model": ("Choose the model that answers, and try what it can do.", _model),
    "spend": ("Show what models cost, by day and job.", _spend),
    "cron": ("Run jobs at their times: keepers, verbs, messages to the agent.", _cron),
    "keepers": ("See and run the keepers that look after memory.", _keepers),
    "review": ("Decide what waits for you, one key each.", _review),
    "agents": ("List, add and remove agents.", _agents),
    "log": ("List what was changed, newest first.", _log),
    "show": ("Show one change, line by line.", _show),
    "undo": ("Take one change back and keep what came after it.", _undo),
    "backup": ("Save an agent in one file: workspace, history and state.", _backup),
    "restore": ("Put an agent back as a backup holds it.", _restore),
    "completion": ("Print what teaches your shell to complete commands.", _completion),
    "help": ("Explain a command, or the exit codes.", _help),
}
