"""The address of a server, and how to speak of it without its secrets."""

from dataclasses import dataclass, field

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memorycore.errors import ConfigurationError

_TOLD = ("host", "port", "dbname", "user")
_SECRET = ("password", "sslpassword", "passfile", "sslkey")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is; its representation and `where` hold no secret.

    `options` are command-line options for the server that the address asks for.
    """

    url: str = field(repr=False)
    where: str
    secrets: tuple[str, ...] = field(repr=False)
    options: str = ""

    def censored(self, text: str) -> str:
        """Return the text with every secret of the address blotted out."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def address_of(url: str) -> Address:
    """Read a `postgresql://` URL or a libpq connection string.

    Raises:
        ConfigurationError: It is neither; the message does not repeat it.
    """
    try:
        parts = conninfo_to_dict(url)
    except (psycopg.Error, UnicodeError):
        parts = None
    if not parts:
        message = (
            "cold_url is no address of a database: postgresql://user:password@host:5432/name, "
            "with @ : / in the password written as %40 %3A %2F"
        )
        raise ConfigurationError(message)
    told = " ".join(f"{name}={parts[name]}" for name in _TOLD if parts.get(name))
    secrets = tuple(str(parts[name]) for name in _SECRET if parts.get(name))
    return Address(url, told or "this machine", secrets, str(parts.get("options") or ""))
