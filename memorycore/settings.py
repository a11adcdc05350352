"""Settings: the only reader of the environment.

Values come, strongest first, from arguments, from the environment (prefix `MEMORYCORE_`, nested names joined
by two underscores, as in `MEMORYCORE_WATERMARKS__SOFT`), from `config.toml` in the data folder, and from the
defaults below.
"""

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)
from typing_extensions import override

from memorycore.errors import ConfigurationError

CONFIG_FILE = "config.toml"
"""Name of the optional settings file in the data folder."""


class ColdBackend(StrEnum):
    """Where the cold tier lives."""

    SQLITE = "sqlite"
    MCP = "mcp"
    POSTGRES = "postgres"


class EmbedderKind(StrEnum):
    """Which embedder makes the vectors."""

    BUNDLED = "bundled"
    QUALITY = "quality"
    API = "api"
    NONE = "none"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WatermarkSettings(_Section):
    """Shares of the hot budget, 0 to 1."""

    soft: float = Field(0.60, gt=0, le=1)
    hard: float = Field(0.80, gt=0, le=1)
    target: float = Field(0.40, gt=0, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.target <= self.soft <= self.hard:
            message = "watermarks must be ordered: target <= soft <= hard"
            raise ValueError(message)
        return self


class RetentionSettings(_Section):
    """How long things are kept, in days."""

    trash_days: float = Field(30, gt=0)
    state_days: float = Field(7, gt=0)
    session_days: float = Field(7, gt=0)
    decay_half_life_days: float = Field(90, gt=0)
    decay_grace_days: float = Field(180, gt=0)
    activity_days: float = Field(45, gt=0)


class ScheduleSettings(_Section):
    """How often the jobs of a long-running server are due; `enabled` False runs none."""

    enabled: bool = True
    overflow_minutes: float = Field(15, gt=0)
    reconcile_minutes: float = Field(5, gt=0)
    maintenance_hours: float = Field(12, gt=0)
    trash_hours: float = Field(24, gt=0)
    outbox_seconds: float = Field(30, gt=0)
    activity_hours: float = Field(24, gt=0)


class _ConfigFile(PydanticBaseSettingsSource):
    """Reads `config.toml` of the data folder that the stronger sources name."""

    @override
    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    @override
    def __call__(self) -> dict[str, Any]:
        named = self.current_state.get("data_dir")
        memory_dir = self.current_state.get("memory_dir")
        folder = Path(named).expanduser() if named else default_data_dir(_path(memory_dir))
        path = folder / CONFIG_FILE
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
            message = f"{path} cannot be read: {fault}. Mend the file or move it away."
            raise ConfigurationError(message) from fault


def _path(value: object) -> Path:
    return Path(str(value)).expanduser() if value else default_memory_dir()


def default_memory_dir() -> Path:
    """Return the Hermes memory folder of this user when there is one, else `~/.memorycore/memory`."""
    hermes = Path.home() / ".hermes" / "memories"
    return hermes if hermes.is_dir() else Path.home() / ".memorycore" / "memory"


def default_data_dir(memory_dir: Path) -> Path:
    """Return `memorycore` inside the Hermes home that holds `memory_dir`, else `~/.memorycore/data`."""
    if memory_dir.name == "memories" and (memory_dir.parent / "config.yaml").is_file():
        return memory_dir.parent / "memorycore"
    return Path.home() / ".memorycore" / "data"


class Settings(BaseSettings):
    """Everything that can be set; built once, frozen.

    Raises:
        ConfigurationError: A value is wrong; the message names the setting and what is allowed.
    """

    model_config = SettingsConfigDict(
        env_prefix="MEMORYCORE_",
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
        env_ignore_empty=True,
    )

    memory_dir: Path = Field(
        default_factory=default_memory_dir, description="Folder of MEMORY.md and USER.md."
    )
    data_dir: Path = Field(
        default_factory=lambda data: default_data_dir(data["memory_dir"]),
        description="Folder of the database, the settings file and backups.",
    )
    memory_char_limit: int | None = Field(
        None, gt=0, description="Budget of MEMORY.md in characters; unset: the host's, else 5000."
    )
    user_char_limit: int | None = Field(
        None, gt=0, description="Budget of USER.md in characters; unset: the host's, else 5000."
    )
    watermarks: WatermarkSettings = Field(
        default_factory=WatermarkSettings,
        description="Shares of the budget at which overflow acts.",
    )
    cold_backend: ColdBackend = Field(ColdBackend.SQLITE, description="Where the cold tier lives.")
    cold_url: str | None = Field(
        None,
        description="Address of the remote service (mcp) or the database (postgres).",
        repr=False,
    )
    cold_token: SecretStr | None = Field(None, description="Bearer token of the remote service.")
    cold_timeout: float = Field(10.0, gt=0, description="Seconds to wait for a remote cold tier.")
    cold_soft_limit: int = Field(
        6000, gt=0, description="Live memories above which a write triggers maintenance."
    )
    cold_hard_limit: int = Field(
        10_000, gt=0, description="Live memories above which the least retained are trashed."
    )
    embedder: EmbedderKind = Field(
        EmbedderKind.BUNDLED, description="Which embedder makes the vectors."
    )
    embed_url: str | None = Field(
        None, description="OpenAI-compatible endpoint of the api embedder, ending in /v1."
    )
    embed_model: str | None = Field(None, description="Model name of the api embedder.")
    embed_api_key: SecretStr | None = Field(None, description="Key of the api embedder.")
    llm_base_url: str | None = Field(
        None, description="OpenAI-compatible endpoint of the optional judge; unset: no judge."
    )
    llm_model: str | None = Field(None, description="Chat model of the judge.")
    llm_api_key: SecretStr | None = Field(None, description="Key of the judge.")
    llm_timeout: float = Field(20.0, gt=0, description="Seconds to wait for the judge.")
    prefetch_enabled: bool = Field(
        default=True, description="Let the Hermes plugin recall before a turn."
    )
    index_topics: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Topics the Hermes plugin names in the system prompt."
    )
    activity_log_enabled: bool = Field(
        default=True, description="Keep the local log of queries by which dormancy is judged."
    )
    retention: RetentionSettings = Field(
        default_factory=RetentionSettings, description="How long things are kept, in days."
    )
    schedule: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="How often the server's jobs are due."
    )
    lexicon_dir: Path | None = Field(
        None, description="Folder with more marker words, one TOML file a language."
    )
    http_host: str = Field("127.0.0.1", description="Address the HTTP server binds to.")
    http_port: int = Field(8765, ge=0, le=65_535, description="Port the HTTP server binds to.")
    http_token: SecretStr | None = Field(
        None, description="Bearer token of the HTTP server; required off loopback."
    )
    http_allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Host names, as a proxy sends them, that the HTTP server also answers to."
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as fault:
            raise ConfigurationError(_explain(fault)) from fault
        except SettingsError as fault:
            message = f"{fault}: give one value, or the parts of a group as MEMORYCORE_GROUP__PART"
            raise ConfigurationError(message) from fault

    @field_validator("index_topics", "http_allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        """Read `a, b` from the environment as two names."""
        if isinstance(value, str):
            return tuple(
                part.strip(" \"'") for part in value.strip("[] ").split(",") if part.strip()
            )
        return value

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, values: Any) -> Any:
        if isinstance(values, dict):
            for name in ("memory_dir", "data_dir", "lexicon_dir"):
                if values.get(name):
                    values[name] = Path(str(values[name])).expanduser()
        return values

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.cold_soft_limit > self.cold_hard_limit:
            message = "cold_soft_limit must not exceed cold_hard_limit"
            raise ValueError(message)
        if self.cold_backend is not ColdBackend.SQLITE and not self.cold_url:
            message = f"cold_backend = {self.cold_backend.value} needs cold_url"
            raise ValueError(message)
        if self.embedder is EmbedderKind.API and not (self.embed_url and self.embed_model):
            message = "embedder = api needs embed_url and embed_model"
            raise ValueError(message)
        if self.llm_base_url and not self.llm_model:
            message = "llm_base_url needs llm_model"
            raise ValueError(message)
        return self

    @override
    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: arguments, environment, `config.toml`."""
        return init_settings, env_settings, _ConfigFile(settings_cls)


def _explain(fault: ValidationError) -> str:
    lines = []
    for error in fault.errors(include_url=False, include_input=False):
        name = ".".join(str(part) for part in error["loc"]) or "settings"
        lines.append(f"{name}: {error['msg']}")
    return "; ".join(lines)
