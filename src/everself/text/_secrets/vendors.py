"""Tokens with a vendor's prefix. One row each: name, pattern, the literals of which one must occur.

Lengths are lower bounds if vendors have changed them; a prefix and twenty random characters are enough.
"""

from everself.text._secrets.kind import Kind, Span, certain
from everself.text._secrets.shapes import (
    base58check,
    base62_crc32,
    compiled,
    digits,
    in_blob,
    mixed,
    placeholder,
    plausible,
    turns,
)


def _with_checksum(data: bytes, start: int, end: int) -> Span | None:
    """GitHub's and npm's tokens: prefix, thirty random characters, CRC-32 in base 62.

    A valid checksum is conclusive. An invalid one is not: the token may be cut or mistyped, or come from another server. It is accepted
    if it looks random or is assigned.
    """
    value = data[start:end]
    body = value[4:]
    if len(body) == 36 and base62_crc32(body[:30]) == body[30:]:
        return start, end
    if placeholder(value) or in_blob(data, start):
        return None
    assigned = data[max(0, start - 3) : start].strip(b" \"'`")[-1:] in (b"=", b":")
    return (start, end) if assigned or turns(body) >= 6 else None


def _hex_of_context(data: bytes, start: int, end: int) -> Span | None:
    return (start, end) if plausible(data, start, end) and data[start:end].isalnum() else None


def _not_a_transaction(data: bytes, start: int, end: int) -> Span | None:
    """A key of 32 bytes, unless the text before calls it a transaction, block or hash, which look the same and are public."""
    before = data[max(0, start - 40) : start]
    public = compiled(r"(?i)(?:tx|txn|transaction|hash|block|digest|root|topic|sha|keccak|commit)[^\n]{0,24}$").search(
        before
    )
    return (start, end) if public is None and not placeholder(data[start:end]) else None


def _wallet(data: bytes, start: int, end: int) -> Span | None:
    return (start, end) if base58check(data[start:end]) else None


_A = "[A-Za-z0-9]"
_U = "[A-Za-z0-9_-]"

FORGES = (
    Kind("everself token", rf"\bevs_{_U}{{43}}", ("evs_",)),
    Kind("github token", rf"\bgh[pousr]_{_A}{{36,255}}", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _with_checksum),
    Kind("github fine-grained token", r"\bgithub_pat_[A-Za-z0-9_]{36,255}", ("github_pat_",)),
    Kind(
        "gitlab token",
        r"\b(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas)-|GR1348941)[A-Za-z0-9_=.-]{18,}",
        ("gl", "gr1348941"),
    ),
    Kind("bitbucket token", r"\bAT(?:BB|CTT3)[A-Za-z0-9_=-]{24,}", ("atbb", "atctt3")),
    Kind("atlassian token", r"\bATATT3[A-Za-z0-9_=-]{20,}", ("atatt3",)),
    Kind("npm token", rf"\bnpm_{_A}{{36}}\b", ("npm_",), _with_checksum),
    Kind("pypi token", rf"\bpypi-AgE{_U}{{16,}}", ("pypi-age",)),
    Kind("crates token", rf"\bcio{_A}{{32}}\b", ("cio",)),
    Kind("rubygems key", r"\brubygems_[a-f0-9]{48}\b", ("rubygems_",)),
    Kind("nuget key", r"\boy2[a-z0-9]{43}\b", ("oy2",)),
    Kind("docker hub token", rf"\bdckr_(?:pat|oat)_{_U}{{20,}}", ("dckr_",)),
    Kind("circleci token", r"\bCCI(?:PAT|PRJ)_[A-Za-z0-9_]{30,}", ("ccipat_", "cciprj_")),
    Kind("buildkite token", r"\bbk[a-z]{2}_[a-f0-9]{40}\b", ("bk",)),
    Kind("sonarqube token", r"\bsq[upa]_[a-f0-9]{40}\b", ("squ_", "sqp_", "sqa_")),
    Kind("artifactory key", r"\b(?:AKC|APT)[A-Za-z0-9]{61,75}\b", ("akc", "apt")),
    Kind("sentry token", r"\bsntry[su]_[A-Za-z0-9+/=_-]{40,}", ("sntry",)),
    Kind("postman key", r"\bPMAK-[a-fA-F0-9]{24}-[a-fA-F0-9]{20,40}", ("pmak-",)),
    Kind("figma token", rf"\bfig[dou]r?_{_U}{{36,}}", ("fig",)),
    Kind("linear key", rf"\blin_(?:api|oauth)_{_A}{{30,64}}", ("lin_",)),
    Kind("notion token", rf"\b(?:secret_{_A}{{43}}|ntn_{_A}{{36,60}})\b", ("secret_", "ntn_")),
    Kind("airtable token", rf"\bpat{_A}{{14}}\.[a-f0-9]{{64}}\b", ("pat",)),
    Kind("contentful token", rf"\bCFPAT-{_U}{{40,}}", ("cfpat-",)),
    Kind("doppler token", rf"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_A}{{38,44}}\b", ("dp.",)),
    Kind("terraform token", rf"\b{_A}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{50,}}", (".atlasv1.",)),
    Kind("vault token", rf"\bhv[sbr]\.{_U}{{20,}}", ("hvs.", "hvb.", "hvr.")),
    Kind("pulumi token", r"\bpul-[a-f0-9]{40}\b", ("pul-",)),
    Kind("1password token", r"\bops_eyJ[A-Za-z0-9+/=_-]{40,}", ("ops_eyj",)),
)

CLOUDS = (
    Kind("aws access key id", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", ("akia", "asia", "abia", "acca")),
    Kind("google api key", rf"\bAIza{_U}{{35}}", ("aiza",)),
    Kind("google oauth secret", rf"\bGOCSPX-{_U}{{20,}}", ("gocspx-",)),
    Kind("google oauth token", rf"\bya29\.[A-Za-z0-9_.-]{{20,}}|\b1//0{_U}{{30,}}", ("ya29.", "1//0")),
    Kind("azure client secret", r"\b[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", ("q~",)),
    Kind(
        "azure storage key",
        r"(?i)\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})",
        ("accountkey", "sharedaccesskey"),
    ),
    Kind(
        "azure sas signature",
        r"(?:[?&;]|(?i:%26)|\\u0026)sig=((?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){20,}={0,2})",
        ("sig=",),
    ),
    Kind(
        "aws session token", r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz|AQoDYXdz)[A-Za-z0-9+/]{40,}={0,2}", ("b3jpz2lu", "yxdz")
    ),
    Kind(
        "url signature",
        r"(?i)[?&;](?:x-(?:amz|goog)-(?:signature|security-token)|(?:ossaccesskeyid=[a-z0-9]+&)?signature|hmac)="
        r"((?:[a-z0-9+/_-]|%[0-9a-f]{2}){20,}={0,2})",
        ("signature=", "security-token=", "hmac="),
    ),
    Kind("alibaba access key id", rf"\bLTAI{_A}{{12,24}}\b", ("ltai",)),
    Kind("tencent secret id", rf"\bAKID{_A}{{28,36}}\b", ("akid",)),
    Kind("digitalocean token", r"\bdo[opr]_v1_[a-f0-9]{64}\b", ("_v1_",)),
    Kind("heroku key", rf"\bHRKU-{_U}{{30,}}", ("hrku-",)),
    Kind(
        "fly token",
        rf"\bFlyV1 fm[0-9][a-z]?_[A-Za-z0-9+/=_,-]{{40,}}|\bfm[12][a-z]?_[A-Za-z0-9+/=_-]{{60,}}|\bfo1_{_U}{{40,}}",
        ("flyv1", "fm1", "fm2", "fo1_"),
    ),
    Kind("vercel token", rf"\bvc[pkair]_{_A}{{24,}}", ("vcp_", "vck_", "vca_", "vci_", "vcr_")),
    Kind("netlify token", rf"\bnfp_{_A}{{36,}}", ("nfp_",)),
    Kind("supabase key", rf"\b(?:sbp_(?:v0_)?[a-f0-9]{{40}}\b|sb_secret_{_U}{{20,}})", ("sbp_", "sb_secret_")),
    Kind("planetscale password", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}", ("pscale_",)),
    Kind("cloudflare origin key", r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,}", ("v1.0-",)),
    Kind("databricks token", r"\bdapi[a-f0-9]{32}(?:-[0-9])?\b", ("dapi",)),
    Kind(
        "grafana token",
        rf"\b(?:glsa_{_A}{{32}}_[A-Fa-f0-9]{{8}}|glc_[A-Za-z0-9+/]{{32,}}={{0,2}}|eyJrIjoi[A-Za-z0-9+/_-]{{40,}}={{0,2}})",
        ("glsa_", "glc_", "eyjrijoi"),
    ),
    Kind("new relic key", r"\bNR(?:AK|JS|II|RA|IQ|MA)-[A-Za-z0-9]{19,40}\b|\b[a-f0-9]{36}NRAL\b", ("nr",)),
    Kind("dynatrace token", r"\bdt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b", ("dt0",)),
    Kind("tailscale key", rf"\btskey-[a-z]+-{_A}{{8,}}(?:-{_A}{{16,}})?", ("tskey-",)),
)

MODELS = (
    Kind("anthropic key", rf"\bsk-ant-{_U}{{20,}}", ("sk-ant-",)),
    Kind(
        "openai key",
        rf"\bsk-(?:(?:proj|svcacct|service|admin|None|or-v1|lf)-{_U}{{20,}}|{_A}{{20,}}T3BlbkFJ{_A}{{20,}}|{_A}{{32,}})",
        ("sk-",),
    ),
    Kind("hugging face token", rf"\b(?:hf_|api_org_){_A}{{30,}}\b", ("hf_", "api_org_")),
    Kind("groq key", rf"\bgsk_{_A}{{40,}}", ("gsk_",)),
    Kind("xai key", rf"\bxai-{_A}{{60,}}", ("xai-",)),
    Kind("perplexity key", rf"\bpplx-{_A}{{40,}}", ("pplx-",)),
    Kind("replicate token", rf"\br8_{_A}{{36,}}", ("r8_",)),
    Kind("langsmith key", r"\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b", ("lsv2_",)),
    Kind("tavily key", rf"\btvly-{_U}{{28,}}", ("tvly-",)),
    Kind("elevenlabs key", r"\bsk_[a-f0-9]{48}\b", ("sk_",)),
    Kind("fireworks key", rf"\bfw_{_A}{{20,}}\b", ("fw_",)),
    Kind("nvidia key", rf"\bnvapi-{_U}{{40,}}", ("nvapi-",)),
    Kind("google api key", rf"\bAQ\.Ab8{_U}{{30,}}", ("aq.ab8",)),
    # Other vendors: together, pinecone, cerebras, jina, voyage, e2b, weights & biases, unstructured, firecrawl, langfuse.
    Kind(
        "model provider key",
        rf"\b(?:tgp_v1_{_U}{{30,}}|pcsk_[A-Za-z0-9_]{{40,}}|csk-{_A}{{40,}}|jina_{_A}{{40,}}|pa-{_U}{{43}}|e2b_[a-f0-9]{{40}}"
        rf"|wandb_v1_{_U}{{40,}}|fc-[a-f0-9]{{32}}|s[lk]-lf-{_U}{{30,}}|aai_{_A}{{30,}}|lm_{_A}{{40,}}|rpa_{_A}{{30,}})\b",
        ("tgp_v1_", "pcsk_", "csk-", "jina_", "pa-", "e2b_", "wandb_v1_", "fc-", "-lf-", "aai_", "lm_", "rpa_"),
    ),
)

MESSENGERS = (
    Kind(
        "slack token",
        r"\bxox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|\bxapp-[0-9]-[A-Za-z0-9-]{20,}",
        ("xox", "xapp-"),
    ),
    Kind(
        "slack webhook",
        r"\bhttps?://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,}",
        ("hooks.slack",),
    ),
    Kind(
        "discord webhook",
        rf"\bhttps?://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{{15,21}}/{_U}{{40,}}",
        ("/webhooks/",),
    ),
    Kind("discord token", rf"\b(?:[MNO]{_U}{{23,27}}\.{_U}{{6,7}}\.{_U}{{27,40}}|mfa\.{_U}{{80,}})", (".",)),
    Kind("telegram token", rf"(?:\b|bot)([0-9]{{8,10}}:{_U}{{35}})(?:[^A-Za-z0-9_-]|$)", (":",)),
    Kind(
        "teams webhook",
        r"\bhttps://[a-z0-9.-]{1,80}\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/_-]{40,}",
        ("webhook.office.com",),
    ),
    Kind("twilio key", r"\b(?:SK|AC)[a-f0-9]{32}\b", ("sk", "ac")),
    Kind(
        "twilio auth token",
        r"(?:\bAC[a-f0-9]{32}[^A-Za-z0-9]{1,4}|(?i:twilio)[^\n]{0,40}?\b)([a-f0-9]{32})\b",
        ("ac", "twilio"),
        _hex_of_context,
    ),
    Kind("sendgrid key", rf"\bSG\.{_U}{{16,32}}\.{_U}{{16,64}}", ("sg.",)),
    Kind("mailgun key", r"\b(?:key-[a-zA-Z0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})\b", ("-",)),
    Kind("mailchimp key", r"\b[a-f0-9]{32}-us[0-9]{1,2}\b", ("-us",)),
    Kind(
        "brevo key",
        rf"\bxkeysib-[a-f0-9]{{64}}-{_A}{{16}}\b|\bxsmtpsib-[a-f0-9]{{64}}-{_A}{{16}}\b",
        ("xkeysib-", "xsmtpsib-"),
    ),
    Kind("resend key", rf"\bre_{_A}{{8}}_{_A}{{20,}}\b", ("re_",)),
)

SHOPS = (
    Kind("stripe key", rf"\b(?:sk|rk)_(?:live|test|prod)_{_A}{{16,}}", ("sk_", "rk_")),
    Kind("stripe webhook secret", r"\bwhsec_[A-Za-z0-9+/]{24,}={0,2}", ("whsec_",)),
    Kind("shopify token", r"\bshp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}\b", ("shp",)),
    Kind("square token", rf"\bsq0[a-z]{{3}}-{_U}{{22,}}|\bEAAA{_U}{{56,}}", ("sq0", "eaaa")),
    Kind("facebook token", r"\b(?:EAA|IGQ|IGAA)[A-Za-z0-9][A-Za-z0-9_-]{60,}", ("eaa", "igq", "igaa")),
    # the long run of A's encodes a number with leading zeros
    Kind(
        "twitter token",
        r"\bA{16,24}[A-Za-z0-9]{10,60}%(?:3[Dd]|2[BbFf])[A-Za-z0-9%]{20,}",
        ("aaaaaaaaaaaaaaaa",),
        certain,
    ),
    Kind("dropbox token", rf"\bsl\.(?:u\.)?{_U}{{40,}}", ("sl.",)),
    Kind("hubspot token", r"\bpat-(?:na|eu|ap)[0-9]-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b", ("pat-",)),
    Kind("shippo token", r"\bshippo_(?:live|test)_[a-f0-9]{40}\b", ("shippo_",)),
    Kind(
        "plaid token",
        r"\baccess-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b",
        ("access-",),
    ),
    Kind("easypost key", rf"\bEZ[AT]K{_A}{{54}}\b", ("ezak", "eztk")),
    Kind("mapbox token", rf"\bsk\.eyJ{_U}{{20,}}\.{_U}{{16,}}", ("sk.eyj",)),
)

WALLETS = (
    Kind("wallet key", r"\b[xyztuvYZUV]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b", ("prv",), _wallet),
    Kind("wallet key", r"\b[5KLc9TQ6][1-9A-HJ-NP-Za-km-z]{50,51}\b", (), _wallet),
)


def _random_tail(data: bytes, start: int, end: int) -> Span | None:
    """A vendor's prefix and a tail that is not a name."""
    prefix, _, tail = data[start:end].rpartition(b"_")
    if len(tail) < 20:
        # the random tail may contain an underscore
        tail = prefix.rpartition(b"_")[2] + tail
    random = digits(tail) >= 3 and mixed(tail) and turns(tail) >= 8
    return (start, end) if random and plausible(data, start, end) else None


# Unlisted vendors: small words joined by underscores, then a long random tail.
UNLISTED = (
    Kind(
        "vendor token",
        rf"\b[a-z][a-z0-9]{{1,15}}(?:_[a-z0-9]{{1,12}}){{0,3}}_{_A}{{16,}}(?:_{_A}{{16,}})?\b",
        ("_",),
        _random_tail,
    ),
    Kind("wallet key", r"\b0x[0-9a-fA-F]{64}\b", ("0x",), _not_a_transaction),
)

VENDORS: tuple[Kind, ...] = (*FORGES, *CLOUDS, *MODELS, *MESSENGERS, *SHOPS, *WALLETS)
