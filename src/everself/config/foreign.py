"""Settings of OpenClaw for which Everself has no use: they are left as they are, with a warning.

Data only: dotted names, those of agents without `agents.defaults.` or the agent's own place before them.
"""

TOP = """
    $schema meta env wizard diagnostics logging cli update browser secrets auth acp models nodeHost tools bindings
    broadcast audio media messages commands approvals session cron web channels discovery canvasHost talk gateway mcp skills
    plugins telegram discord slack whatsapp signal imessage msteams googlechat webchat routing identity proxy crestodian"""
OF_AGENTS = """
    agentDir name model.fallbacks imageModel imageGenerationModel pdfModel models params thinkingDefault
    verboseDefault elevatedDefault reasoningDefault timeFormat envelopeTimezone envelopeTimestamp envelopeElapsed
    blockStreamingDefault blockStreamingBreak blockStreamingChunk blockStreamingCoalesce humanDelay timeoutSeconds mediaMaxMb
    imageMaxDimensionPx typingIntervalSeconds typingMode maxConcurrent subagents groupChat skills tools runtime contextPruning
    contextTokens cliBackends repoRoot skipBootstrap bootstrapPromptTruncationWarning llm embeddedPi identity.theme
    sandbox.mode sandbox.scope sandbox.sessionToolsVisibility sandbox.workspaceRoot sandbox.docker sandbox.browser
    sandbox.prune sandbox.perSession sandbox.backend sandbox.ssh
    compaction.mode compaction.reserveTokens compaction.keepRecentTokens compaction.maxHistoryShare compaction.model
    compaction.identifierPolicy compaction.postCompactionSections compaction.memoryFlush.prompt compaction.timeoutSeconds
    compaction.memoryFlush.systemPrompt compaction.memoryFlush.model compaction.memoryFlush.forceFlushTranscriptBytes
    heartbeat.model heartbeat.session heartbeat.target heartbeat.to heartbeat.accountId heartbeat.prompt heartbeat.ackMaxChars
    heartbeat.includeReasoning heartbeat.lightContext heartbeat.isolatedSession heartbeat.directPolicy
    heartbeat.suppressToolErrorWarnings
    memorySearch.sources memorySearch.experimental memorySearch.multimodal memorySearch.outputDimensionality
    memorySearch.remote.batch memorySearch.local.modelCacheDir memorySearch.store.driver memorySearch.store.vector
    memorySearch.chunking memorySearch.sync memorySearch.cache memorySearch.query.hybrid.enabled
    memorySearch.query.hybrid.candidateMultiplier memorySearch.query.hybrid.mmr"""
IN_GROUPS = """
    ui.seamColor memory.backend memory.citations memory.qmd hooks.enabled hooks.path hooks.token hooks.presets
    hooks.transformsDir hooks.mappings hooks.gmail hooks.maxBodyBytes hooks.defaultSessionKey hooks.allowedAgentIds
    hooks.allowRequestSessionKey hooks.allowedSessionKeyPrefixes hooks.internal.handlers hooks.internal.load
    hooks.internal.installs hooks.internal.entries.boot-md hooks.internal.entries.command-logger
    hooks.internal.entries.bootstrap-extra-files hooks.internal.entries.session-memory.llmSlug"""
