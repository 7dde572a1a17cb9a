"""The table of kinds: how many of each, under which names people keep them, and in which frames they are written.

A kind whose value speaks for itself may stand in a `bare` frame; any other needs a frame that names it.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass

from tests.corpora.secrets import passwords, tokens
from tests.corpora.secrets.chance import BASE32, Chance
from tests.corpora.secrets.keyfiles import armoured_key
from tests.corpora.secrets.tokens import Made

OPEN = ("bare", "named")


@dataclass(frozen=True)
class Kind:
    name: str
    count: int
    groups: tuple[str, ...]
    service: str
    names: tuple[str, ...]
    make: Callable[[Chance], Made]


def whole(maker: Callable[[Chance], str]) -> Callable[[Chance], Made]:
    def make(chance: Chance) -> Made:
        value = maker(chance)
        return Made(value, (value,))

    return make


KINDS: tuple[Kind, ...] = (
    Kind("github_classic", 40, OPEN, "GitHub", ("GITHUB_TOKEN", "GH_TOKEN", "GH_PAT"), whole(tokens.github_classic)),
    Kind(
        "github_fine_grained",
        24,
        OPEN,
        "GitHub",
        ("GITHUB_TOKEN", "GITHUB_PAT"),
        whole(lambda c: f"github_pat_{c.alnum(22)}_{c.alnum(59)}"),
    ),
    Kind("gitlab", 24, OPEN, "GitLab", ("GITLAB_TOKEN", "CI_DEPLOY_TOKEN"), whole(tokens.gitlab)),
    Kind("aws_access_key_id", 30, OPEN, "AWS", ("AWS_ACCESS_KEY_ID",), whole(tokens.aws_key_id)),
    Kind("aws_secret_access_key", 28, ("named",), "AWS", ("AWS_SECRET_ACCESS_KEY",), whole(lambda c: c.b64(30))),
    Kind("aws_session_token", 14, ("named",), "AWS", ("AWS_SESSION_TOKEN",), whole(tokens.aws_session)),
    Kind("openai", 36, OPEN, "OpenAI", ("OPENAI_API_KEY",), whole(tokens.openai)),
    Kind("anthropic", 36, OPEN, "Anthropic", ("ANTHROPIC_API_KEY",), whole(tokens.anthropic)),
    Kind(
        "google_api_key",
        28,
        OPEN,
        "Google Maps",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        whole(lambda c: "AIzaSy" + c.urlsafe(33)),
    ),
    Kind(
        "google_client_secret",
        14,
        OPEN,
        "Google",
        ("GOOGLE_CLIENT_SECRET",),
        whole(lambda c: "GOCSPX-" + c.urlsafe(28)),
    ),
    Kind(
        "google_access_token",
        16,
        OPEN,
        "Google Drive",
        ("GOOGLE_ACCESS_TOKEN", "DRIVE_REFRESH_TOKEN"),
        whole(tokens.google_access),
    ),
    Kind(
        "other_model_provider",
        40,
        OPEN,
        "the model provider",
        ("LLM_API_KEY", "MODEL_API_KEY"),
        whole(tokens.other_models),
    ),
    Kind(
        "huggingface",
        20,
        OPEN,
        "Hugging Face",
        ("HF_TOKEN",),
        whole(lambda c: "hf_" + c.chars(string.ascii_letters, 34)),
    ),
    Kind("slack_token", 28, OPEN, "Slack", ("SLACK_BOT_TOKEN", "SLACK_TOKEN"), whole(tokens.slack)),
    Kind("slack_webhook", 16, OPEN, "Slack", ("SLACK_WEBHOOK_URL",), tokens.slack_webhook),
    Kind("discord_bot", 20, OPEN, "Discord", ("DISCORD_TOKEN", "DISCORD_BOT_TOKEN"), whole(tokens.discord_bot)),
    Kind("discord_webhook", 12, OPEN, "Discord", ("DISCORD_WEBHOOK",), tokens.discord_webhook),
    Kind("telegram_bot", 26, OPEN, "Telegram", ("TELEGRAM_BOT_TOKEN", "TG_TOKEN"), whole(tokens.telegram)),
    Kind("stripe", 26, OPEN, "Stripe", ("STRIPE_SECRET_KEY", "STRIPE_KEY"), whole(tokens.stripe)),
    Kind("stripe_webhook", 10, OPEN, "Stripe", ("STRIPE_WEBHOOK_SECRET",), whole(lambda c: "whsec_" + c.alnum(32))),
    Kind(
        "twilio",
        16,
        ("named",),
        "Twilio",
        ("TWILIO_AUTH_TOKEN", "TWILIO_API_KEY"),
        whole(lambda c: c.pick((c.hexa(32), "SK" + c.hexa(32)))),
    ),
    Kind(
        "sendgrid", 16, OPEN, "SendGrid", ("SENDGRID_API_KEY",), whole(lambda c: f"SG.{c.urlsafe(22)}.{c.urlsafe(43)}")
    ),
    Kind(
        "mail_service",
        16,
        ("named",),
        "the mailing service",
        ("MAIL_API_KEY", "NEWSLETTER_API_KEY"),
        whole(tokens.mail),
    ),
    Kind("npm", 20, OPEN, "npm", ("NPM_TOKEN", "NODE_AUTH_TOKEN"), whole(lambda c: tokens.checked("npm_", c))),
    Kind("pypi", 20, OPEN, "PyPI", ("PYPI_TOKEN", "TWINE_PASSWORD"), whole(tokens.pypi)),
    Kind("package_host", 18, OPEN, "the package host", ("PUBLISH_TOKEN", "REGISTRY_TOKEN"), whole(tokens.packages)),
    Kind("hosting", 30, OPEN, "the hosting company", ("HOSTING_TOKEN", "DEPLOY_API_KEY"), whole(tokens.hosting)),
    Kind("shop", 20, OPEN, "the shop", ("SHOP_ACCESS_TOKEN", "SHOP_API_SECRET"), whole(tokens.shops)),
    Kind("work_tool", 32, OPEN, "the issue tracker", ("TRACKER_API_KEY", "NOTES_TOKEN"), whole(tokens.tools)),
    Kind("vault", 16, OPEN, "Vault", ("VAULT_TOKEN", "TFC_TOKEN"), whole(tokens.vault)),
    Kind("atlassian", 14, OPEN, "Jira", ("JIRA_API_TOKEN", "CONFLUENCE_TOKEN"), whole(tokens.atlassian)),
    Kind("grafana", 12, OPEN, "Grafana", ("GRAFANA_TOKEN",), whole(tokens.grafana)),
    Kind(
        "social_network",
        12,
        ("named",),
        "the social account",
        ("TWITTER_BEARER_TOKEN", "FB_PAGE_TOKEN"),
        whole(tokens.social),
    ),
    Kind(
        "chinese_cloud",
        16,
        ("named",),
        "Aliyun",
        ("ALIBABA_CLOUD_ACCESS_KEY_ID", "TENCENT_SECRET_ID"),
        whole(tokens.chinese_cloud),
    ),
    Kind("azure_client_secret", 16, OPEN, "Azure", ("AZURE_CLIENT_SECRET",), whole(tokens.azure_client)),
    Kind("azure_storage_key", 14, ("azure",), "Azure", ("AZURE_STORAGE_KEY",), whole(lambda c: c.b64(64))),
    Kind("signed_url", 14, ("signed",), "Azure", ("SAS_URL",), whole(tokens.signature)),
    Kind("jwt", 34, (*OPEN, "bearer"), "the backend", ("ACCESS_TOKEN", "SUPABASE_SERVICE_ROLE_KEY"), whole(tokens.jwt)),
    Kind("private_key", 36, ("pem",), "the server", ("PRIVATE_KEY",), armoured_key(Made)),
    Kind("connection_string", 60, ("conn",), "the database", ("DATABASE_URL",), tokens.url_password),
    Kind("url_credentials", 24, ("userinfo",), "the mirror", ("PROXY_URL",), tokens.url_password),
    Kind("basic_auth", 22, ("basic",), "the intranet", ("BASIC_AUTH",), tokens.basic),
    Kind("bearer", 26, ("bearer",), "the API", ("API_TOKEN",), whole(tokens.bearer)),
    Kind("session_cookie", 16, ("cookie",), "the site", ("SESSION_COOKIE",), whole(tokens.cookie)),
    Kind(
        "password",
        120,
        ("password",),
        "the server",
        ("DB_PASSWORD", "SMTP_PASSWORD", "ADMIN_PASSWORD", "MYSQL_ROOT_PASSWORD", "REDIS_PASSWORD", "APP_PASSWD"),
        whole(passwords.any_word),
    ),
    Kind(
        "generic_api_key",
        64,
        ("named",),
        "the weather service",
        (
            "API_KEY",
            "WEATHER_API_KEY",
            "APP_SECRET",
            "CLIENT_SECRET",
            "SECRET_KEY",
            "AUTH_TOKEN",
            "DD_API_KEY",
            "ENCRYPTION_KEY",
        ),
        whole(tokens.generic),
    ),
    Kind("kubernetes_secret", 10, ("sealed",), "the cluster", ("K8S_SECRET",), tokens.sealed),
    Kind("payment_card", 34, ("card",), "the bank", ("CARD",), whole(tokens.card)),
    Kind("iban", 30, ("iban",), "the bank", ("IBAN",), whole(tokens.iban)),
    Kind("wallet_key", 18, OPEN, "the wallet", ("WALLET_PRIVATE_KEY",), whole(tokens.wallet)),
    Kind(
        "ethereum_key", 14, ("eth",), "the wallet", ("ETH_PRIVATE_KEY", "DEPLOYER_PRIVATE_KEY"), whole(tokens.eth_key)
    ),
    Kind("totp_seed", 14, ("otp",), "the bank", ("TOTP_SECRET",), whole(lambda c: c.chars(BASE32, c.pick((16, 32))))),
    Kind("wireguard_key", 12, ("wireguard",), "the VPN", ("WG_PRIVATE_KEY",), whole(lambda c: c.b64(32))),
    Kind("wifi_password", 18, ("wifi",), "the router", ("WIFI_PASSWORD",), whole(passwords.strong)),
)
