// Generated from openapi.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service answers
         * @description Needs no credential. Query parameters are ignored.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service can do its work
         * @description Asks the database and the chain, whether a signer can pay for gas, and whether what was accepted gets on: whether anything is sent, mined or settled while there is something to be. Meant for whatever sends requests to replicas. Needs no credential; the answer may be a second old. Query parameters are ignored.
         */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which chain this is
         * @description The chain that everything but the sandbox is on, and its block explorer, whose pages are under `/tx/` and `/address/`, as EIP-3091 says. Needs no credential.
         */
        get: operations["getNetwork"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document
         * @description The contract of the service, with its own public address as the server. Needs no credential. It is sent packed to whoever takes gzip, and not at all to whoever has it (`If-None-Match`).
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register with an invite code
         * @description Creates an account on plan BASIC, uses up the invite code and starts a session; the session whose cookie came along ends. When the e-mail is already registered (in any case) the invite code stays usable, ten times.
         */
        post: operations["registerAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a session
         * @description Sets the session cookie; the session whose cookie came along ends. An unknown e-mail and a wrong password get the same answer.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Confirm the session
         * @description Answers the profile of the account that the session cookie belongs to.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/signin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description Answers a Bearer token for the token API, valid for 12 hours. An unknown e-mail and a wrong password get the same answer.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the profile
         * @description The account that the credential belongs to.
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set or clear the wallet address
         * @description The wallet becomes the on-chain owner of tokens deployed from now on; tokens deployed before keep their owner. `null` clears it. API keys may not change the profile.
         */
        patch: operations["updateProfile"];
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the mint quota
         * @description Deploys and mints both count. The period is the calendar month in UTC. What is accepted but not yet confirmed counts as used; it is given back when it fails.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/gas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the gas of the day
         * @description A limit of fair use beside quota and credits. Each deployment, mint and item of a batch brings 420,000 gas of its own, all that a mint and the hook of its receiver may use. What free writes use, and metadata that is minted beyond that, draws on the gas of the day (UTC) on which they were accepted. A write holds its estimate; once it is final, what it really used on the chain is charged, also when it failed there (then its quota or credits come back, and all of its gas counts). Past the limit a write is answered 429 until the day ends, but for pause, lock-transfers, close-mint and a lower mint limit (20 a day beyond it) and freeze (100), which are charged nothing then. The sandbox uses no gas.
         */
        get: operations["getGasStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own tokens
         * @description Newest first. Only tokens whose deployment is confirmed are listed.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Deploy a token
         * @description Deploys an ERC-20 or ERC-721 contract and consumes one mint of the quota. The owner on the chain is the account's wallet address if it has one, otherwise the service's operator contract.
         */
        post: operations["deployToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        /**
         * Read a token
         * @description The record of an own token with its state on the chain.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/mint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint
         * @description ERC-20: mints `amount` to `owner`. ERC-721: mints the next free token id to `owner`; `amount` is refused. Consumes one mint of the quota. On a permissioned token the recipient must be an approved account.
         */
        post: operations["mintToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a write
         * @description Tells how far a write of this account has come. Intents of another account, or of the other environment (live or sandbox), are not found. The operator of the service may archive what was finished 30 days ago or earlier: it is not found any more, and the message says until when that was done.
         */
        get: operations["getIntent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own writes
         * @description Newest first, of the environment of the credential.
         */
        get: operations["listIntents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intents/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happened to a write
         * @description Oldest first, with the newest 40 attempts to send it. A verdict that a reorg took back leaves no entry of its own. The operator of the service may archive what was finished 30 days ago or earlier, see `GET /intents/{id}`.
         */
        get: operations["getIntentTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intents/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a write
         * @description Possible while it is `queued`: it then has no effect on the chain, and its quota or credits are given back.
         */
        post: operations["cancelIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token with the session
         * @description For pages of this service, which keep it in memory: a Bearer token of 12 hours at the most, which ends with the session. A session has 20 of them at most: the oldest one ends. Of the environment `live` it is one for the token API; of `sandbox` it works like a sandbox API key.
         */
        post: operations["createAccessToken"];
        /**
         * Revoke the access token in use
         * @description The token of this request stops working at once. Other tokens and sessions go on.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause everything
         * @description Halts mint, burn, metadata changes and transfers. When that is so already, nothing is sent.
         */
        post: operations["pauseToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/unpause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume everything
         * @description Ends the pause. When that is so already, nothing is sent.
         */
        post: operations["unpauseToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/lock-transfers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lock transfers
         * @description Blocks transfers and approvals; mint, burn and metadata go on. When that is so already, nothing is sent.
         */
        post: operations["lockTransfers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/unlock-transfers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unlock transfers
         * @description Allows transfers and approvals again. When that is so already, nothing is sent.
         */
        post: operations["unlockTransfers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Freeze an account
         * @description The account may neither send nor receive, by transfer, mint or burn, and its approvals are useless. When that is so already, nothing is sent.
         */
        post: operations["freezeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unfreeze an account
         * @description Restores the account. When that is so already, nothing is sent.
         */
        post: operations["unfreezeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/approve-account": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve an account
         * @description The account may receive mints of a permissioned token. When that is so already, nothing is sent.
         */
        post: operations["approveAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/unapprove-account": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the approval of an account
         * @description The account may no longer receive mints of a permissioned token. When that is so already, nothing is sent.
         */
        post: operations["unapproveAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/close-mint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close minting for ever
         * @description Nobody can mint this token any more, its owner on the chain included: at once, and for good a day later (on a local chain at once). Until then `DELETE` takes it back. When that is so already, nothing is sent.
         */
        post: operations["closeMint"];
        /**
         * Open minting again
         * @description Takes the end of minting back as long as it is not for good: see `mintClosesForGoodAt` of the limits. After that it is 502. When minting is open, nothing is sent.
         */
        delete: operations["reopenMint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/renounce-controls": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up the controls over holders for ever
         * @description Nobody can pause this token, lock its transfers, freeze an account or move a holding by force any more, its owner on the chain included: at once, and for good a day later (on a local chain at once). Until then `DELETE` takes it back. What is paused, locked or frozen then can still be released. When that is so already, nothing is sent.
         */
        post: operations["renounceControls"];
        /**
         * Take the controls over holders back
         * @description Takes that back as long as it is not for good: see `controlsRenouncedForGoodAt` of the limits. After that it is 502. When they are not given up, nothing is sent.
         */
        delete: operations["restoreControls"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/mint-limit": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Lower the daily mint limit
         * @description How much the service may mint of this token in a day, in the smallest unit, or NFTs; what it minted refills evenly over 24 hours. A token without a limit gets one. A higher limit is 403: only the owner on the chain or the administrator of the service's operator contract can raise it, on the chain. When the limit is that already, nothing is sent.
         */
        put: operations["setMintLimit"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/force-transfer": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move or burn a holding
         * @description Moves `amount` (ERC-20) or the NFT `tokenId` (ERC-721) from one account to another without its consent, by ERC-7943; `to` null burns it. Only for a token that was deployed with `recoverable`, which everybody can read on the chain; 422 for any other.
         */
        post: operations["forceTransfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/royalty": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Set the royalty
         * @description What marketplaces are asked to pay for each sale of an NFT of this contract (ERC-2981). An ERC-20 token has none: 422. When the royalty is that already, nothing is sent.
         */
        put: operations["setRoyalty"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        /**
         * Read supply and limits
         * @description What bounds minting, as the chain has it.
         */
        get: operations["getTokenLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/accounts/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
                /**
                 * @description Address of any account.
                 * @example 0x3440326f551B8A7ee198cEE35cb5D517f2d296a2
                 */
                account: components["parameters"]["HolderAddress"];
            };
            cookie?: never;
        };
        /**
         * Read the marks of an account
         * @description Whether an account is frozen or approved at this token, and what it holds.
         */
        get: operations["getTokenAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        /**
         * Read metadata
         * @description The values on the chain. ERC-721: of the token `tokenId`, which is required. ERC-20: of the contract, without `tokenId`.
         */
        get: operations["getMetadata"];
        /**
         * Replace metadata
         * @description Writes all keys to the chain, in the order `name`, `description`, `image`, then the attributes by the UTF-8 bytes of their keys. Keys that are not given are removed. ERC-721 needs `tokenId`; ERC-20 refuses it. Consumes no mint.
         */
        put: operations["setMetadata"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/metadata/keys": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        /**
         * List metadata keys
         * @description The current key names in the order of the chain. ERC-721: of `tokenId`, or, without it, the layout most recently written in the contract.
         */
        get: operations["listMetadataKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{address}/metadata/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Freeze metadata for ever
         * @description Nobody can change this metadata any more. ERC-721: that of the NFT `tokenId`; without it, that of the contract and of all its NFTs; one that is minted later still gets metadata with its mint. ERC-20: that of the contract, without `tokenId`. At once, and for good a day later (on a local chain at once): until then `DELETE` takes it back. When that is so already, nothing is sent.
         */
        post: operations["freezeMetadata"];
        /**
         * Let metadata change again
         * @description Takes the freeze of an NFT, or without `tokenId` that of all metadata, back as long as it is not for good: for a day, and of all metadata until `metadataFrozenForGoodAt` of the limits. After that it is 502. When it is not frozen, nothing is sent.
         */
        delete: operations["unfreezeMetadata"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metadata/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See how metadata will be rendered
         * @description The JSON that a contract of this name and symbol would render with this metadata: of its NFT `tokenId`, or, without it, of itself. The contract that renders all of them is asked; nothing is stored or sent, in the sandbox neither.
         */
        post: operations["previewMetadata"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokenURI/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        /**
         * Read the JSON of a contract
         * @description What `contractURI` of the contract renders. Public.
         */
        get: operations["getContractUri"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokenURI/{address}/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
                /**
                 * @description Id of an NFT of the contract.
                 * @example 1
                 */
                tokenId: components["parameters"]["TokenIdPath"];
            };
            cookie?: never;
        };
        /**
         * Read the JSON of an NFT
         * @description What `tokenURI` of the contract renders. Public. 404 when the token has no metadata and the contract a base URI: the JSON is then under that URI, which the message names.
         */
        get: operations["getTokenUri"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session
         * @description The session ends on the server, and the cookie is cleared in the browser.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description Every other session and every access token of the account ends, and this session gets another cookie. API keys go on, unless `revokeKeys` is true: after a theft, revoke them too.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Newest first, revoked ones too, without the raw keys.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The raw key is answered once and cannot be read again: a replay under the same `Idempotency-Key` answers without `key`. An account may have 20 keys of each environment that are not revoked.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key stops working at once.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the credits
         * @description The period is the calendar month in UTC. What is accepted but not yet confirmed counts as used; it is given back when it fails.
         */
        get: operations["getCredits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own collections
         * @description Newest first. A sandbox key sees only sandbox collections; a live key and the cookie only live ones.
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Create a collection
         * @description Deploys an ERC-721 contract through the factory. Costs 5 credits on the test network and 15 on the main network; with a sandbox key it costs nothing and nothing is sent.
         */
        post: operations["createCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        /**
         * Read a collection
         * @description An own collection of the environment of the credential.
         */
        get: operations["getCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{address}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        /**
         * List the tokens of a collection
         * @description Every token minted through the service, newest first, with the account that it was minted to.
         */
        get: operations["listCollectionTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{address}/mint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint one NFT
         * @description Mints the next free token id, with its metadata in the same transaction when given. Costs 1 credit; nothing with a sandbox key. The recipient needs no wallet connected to the service.
         */
        post: operations["mintNft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{address}/mint/batch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint up to 100 NFTs
         * @description All or nothing, in one transaction. Costs 1 credit for each item. A batch that would need more than 14,000,000 gas or 100,000 bytes of calldata is refused, and the message says how many of its items fit; 100 items without metadata always do. Each item may use 365,000 gas beside its metadata, the hook of its receiver included.
         */
        post: operations["mintNftBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{address}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the metadata of a collection
         * @description What `contractURI` shows. Free.
         */
        put: operations["setCollectionMetadata"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{address}/tokens/{tokenId}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
                /**
                 * @description Id of an NFT of the contract.
                 * @example 1
                 */
                tokenId: components["parameters"]["TokenIdPath"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the metadata of an NFT
         * @description What `tokenURI` shows. Keys that are not given are removed. Free.
         */
        put: operations["setNftMetadata"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Newest first, of the environment of the credential, without the secrets.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook
         * @description From now on the service sends the events of this environment to `url`. The signing `secret` is answered once and cannot be read again: a replay under the same `Idempotency-Key` answers without it. The URL must be https and lead to a public address, unless the operator allows others; an account may have ten webhooks in each environment.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Tells whether it is enabled, and if not, why.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Nothing more is sent, and its secret and its log are gone at once.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description What is left out stays. Disabled, a webhook is sent nothing: events of that time are not sent later either. Enabled again, its earlier failures no longer count.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret
         * @description Answers another secret, once. For 24 hours messages carry a signature of each of the two, so that receivers can be changed without a gap.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends `webhook.test`, whatever events the webhook asked for. Its delivery log tells what came of it. An account may ask for 30 test events and replays in a minute.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        /**
         * Read the delivery log
         * @description What was sent to a webhook in the last 30 days, in the sandbox in the last three, and what came of it, newest first. At most 5,000 messages of an account wait; beyond that the oldest fail, and `error` says so. What a receiver answers beyond its status is not kept.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
                /**
                 * @description Id of a delivery of this webhook, which is its `webhook-id`.
                 * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
                 */
                deliveryId: components["parameters"]["WebhookDeliveryId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message again
         * @description Whatever became of it, it is sent again at once, with the same body and the same `webhook-id`, and with all attempts anew. An account may ask for 30 test events and replays in a minute.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what changed
         * @description Every change of this account and every failed sign-in to it, newest first, of both environments: who (the credential, or the operator of the service), from where, what and when. Entries are never changed or deleted. API keys may not read it: it has the addresses of people.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "intent.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An intent is confirmed
         * @description Its transaction has one confirmation, or nothing had to be sent. On a chain with reorgs it may yet be taken back: then `intent.retracted` follows. A reorg that leaves its transaction and result as they are is not told.
         */
        post: operations["receiveIntentConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "intent.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An intent failed
         * @description It had no effect, now and for ever, and its quota or credits are given back.
         */
        post: operations["receiveIntentFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "intent.retracted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A confirmation was taken back
         * @description A reorg of the chain took the transaction back, or changed what it resulted in. The intent is under way again, and `intent.confirmed` or `intent.failed` follows, perhaps with the same timestamp: the higher `sequence` counts.
         */
        post: operations["receiveIntentRetracted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "account.wallet_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The wallet of the account changed
         * @description `PATCH /me` set another wallet, or cleared it. The new one owns what is deployed from now on: if nobody of yours changed it, somebody has an access token of the account. Live webhooks are told, when they ask for it.
         */
        post: operations["receiveWalletChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test event
         * @description Sent when somebody asks for it with `POST /v1/webhooks/{id}/test`.
         */
        post: operations["receiveWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * Format: uuid
         * @description An identifier (UUID).
         * @example 3a2cf1f6-90dd-4ecb-aa84-46042086a99b
         */
        Id: string;
        /**
         * @description An on-chain address. A mixed-case one must carry a right EIP-55 checksum; the zero address is refused.
         * @example 0x3440326f551B8A7ee198cEE35cb5D517f2d296a2
         */
        Address: string;
        /**
         * @description Hash of a transaction.
         * @example 0x1f183a334e9d841962cec997cfab99891cb30d1dbd19449aec217d073198c84d
         */
        TransactionHash: string;
        /**
         * Format: date-time
         * @description A moment in UTC, ISO 8601, to the millisecond.
         * @example 2026-09-14T08:30:12.345Z
         */
        Timestamp: string;
        /**
         * @description A positive whole number in the smallest unit, as a decimal string. A token holds 2^208 - 1 of them at the most, and a single mint no more than that.
         * @example 1000000000000000000
         */
        Amount: string;
        /**
         * @description Id of an NFT in its contract, as a decimal string.
         * @example 1
         */
        TokenId: string;
        /**
         * @description Where the next page starts. Opaque.
         * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
         */
        PageCursor: string;
        /** @description The `cursor` of the next page; null on the last one. */
        NextCursor: components["schemas"]["PageCursor"] | null;
        /**
         * @description The plan of an account.
         * @enum {string}
         */
        Plan: "BASIC" | "PRO" | "PRO_PLUS";
        Health: {
            /** @enum {boolean} */
            ok: true;
        };
        Ready: {
            /** @enum {boolean} */
            ready: true;
        };
        Network: {
            /**
             * @description Which prices of the collection API hold.
             * @enum {string}
             */
            network: "test" | "main";
            /** @description As in EIP-155. */
            chainId: number;
            /**
             * Format: uri
             * @description Without a slash at its end.
             */
            explorerUrl: string;
        };
        /**
         * @description What went wrong. Each code has one HTTP status.
         * @enum {string}
         */
        ErrorCode: "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "CONFLICT" | "VALIDATION_ERROR" | "BASE_URI_TOO_LONG" | "QUOTA_EXCEEDED" | "RATE_LIMITED" | "CHAIN_ERROR" | "DEPLOY_UNAVAILABLE" | "NOT_READY" | "INTERNAL_ERROR";
        ErrorBody: {
            code: components["schemas"]["ErrorCode"];
            /** @description What happened and what to do about it. */
            message: string;
        };
        Credentials: {
            /** @example alice@example.com */
            email: string;
            /**
             * Format: password
             * @description The password of the account.
             * @example correct horse battery
             */
            password: string;
        };
        RegisterAccountRequest: {
            /**
             * Format: email
             * @example alice@example.com
             */
            email: string;
            /**
             * Format: password
             * @description 8 to 128 characters, none of the 3,000 commonest passwords, not the e-mail, not one repeated character and not only blanks. Counted as its NFKC form.
             * @example correct horse battery
             */
            password: string;
            /** @example WELCOME-7Q2M */
            inviteCode: string;
        };
        Profile: {
            id: components["schemas"]["Id"];
            email: string;
            plan: components["schemas"]["Plan"];
            walletAddress: components["schemas"]["WalletAddress"];
        };
        /**
         * @description Wallet of the account; the owner of tokens deployed from now on. Null when unset.
         * @example 0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501
         */
        WalletAddress: string | null;
        UpdateProfileRequest: {
            walletAddress: components["schemas"]["WalletAddress"];
        };
        SignedIn: {
            /** @description Send it as `Authorization: Bearer <token>`. */
            token: string;
            user: components["schemas"]["User"];
        };
        CreateAccessTokenRequest: {
            /** @description `live` when left out. */
            environment?: components["schemas"]["Environment"];
        };
        CreatedAccessToken: {
            /** @description Send it as `Authorization: Bearer <token>`. */
            token: string;
            environment: components["schemas"]["Environment"];
            /** @description At the latest. */
            expiresAt: components["schemas"]["Timestamp"];
        };
        User: {
            id: components["schemas"]["Id"];
            email: string;
            plan: components["schemas"]["Plan"];
        };
        Stats: {
            plan: components["schemas"]["Plan"];
            /** @description Mints consumed in this period; deploys count too. */
            mintsUsed: number;
            /** @description Mints left in this period. */
            mintsRemaining: number;
            periodStart: components["schemas"]["Timestamp"];
            periodEnd: components["schemas"]["Timestamp"];
        };
        GasStats: {
            /** @description Gas of this day that was used on the chain. */
            used: number;
            /** @description Gas of this day that is held for writes under way. */
            held: number;
            /** @description Gas left in this day. */
            remaining: number;
            periodStart: components["schemas"]["Timestamp"];
            periodEnd: components["schemas"]["Timestamp"];
        };
        /**
         * @description The standard that the contract follows.
         * @enum {string}
         */
        TokenType: "ERC20" | "ERC721";
        /**
         * @description Display name, 1 to 64 bytes in UTF-8.
         * @example Alice Coin
         */
        TokenName: string;
        /**
         * @description Symbol, 1 to 16 bytes in UTF-8.
         * @example ALC
         */
        TokenSymbol: string;
        /** @description Which fields are taken depends on `type`; a field of the other type is refused. */
        DeployTokenRequest: components["schemas"]["DeployErc20Request"] | components["schemas"]["DeployErc721Request"];
        DeployErc20Request: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ERC20";
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            /** @default 18 */
            decimals?: number;
            isPermissionless?: components["schemas"]["IsPermissionless"];
            maxSupply?: components["schemas"]["MaxSupply"];
            mintLimitPerDay?: components["schemas"]["MintLimitPerDay"];
            recoverable?: components["schemas"]["Recoverable"];
        };
        DeployErc721Request: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ERC721";
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            /**
             * @description Put before the token id to make the token URI of a token without metadata. An ipfs, http or https URI of at most 256 bytes in UTF-8; a longer one is `BASE_URI_TOO_LONG`. Empty is the same as none.
             * @example ipfs://bafybeialiceart/
             */
            baseUri?: string;
            isPermissionless?: components["schemas"]["IsPermissionless"];
            maxSupply?: components["schemas"]["MaxSupply"];
            mintLimitPerDay?: components["schemas"]["MintLimitPerDay"];
            recoverable?: components["schemas"]["Recoverable"];
            royalty?: components["schemas"]["Royalty"];
        };
        /**
         * @description When false, only approved accounts may receive mints.
         * @default true
         */
        IsPermissionless: boolean;
        /**
         * @description A cap that never changes, below 2^208. ERC-20: the most that exists at any time, in the smallest unit. ERC-721: the most NFTs that are ever minted, burned ones included. Without it there is no cap.
         * @example 10000
         */
        MaxSupply: string;
        /**
         * @description The most that the service may mint in a day, below 2^198, in the smallest unit or NFTs; what is burned still counts. What was minted refills evenly over 24 hours: never more than the limit at once, never more than twice in any 24 hours. The contract keeps it. The owner on the chain is not bound by it, unless that is the service's operator contract. Without it there is no limit.
         * @example 500
         */
        MintLimitPerDay: string;
        /** @description False when left out. Whether holdings can be moved or burned without the consent of their holder (ERC-7943), see `POST /tokens/{address}/force-transfer`. Everybody can read it on the chain, and it never changes. */
        Recoverable: boolean;
        /** @description What marketplaces are asked to pay for each sale of an NFT of the contract (ERC-2981). */
        Royalty: {
            /** @description Who is to be paid. */
            receiver: components["schemas"]["Address"];
            /**
             * @description Hundredths of a percent of the price; 1,000 is a tenth of it.
             * @example 500
             */
            basisPoints: number;
        };
        /** @description The royalty; null for none. */
        OptionalRoyalty: components["schemas"]["Royalty"] | null;
        SetMintLimitRequest: {
            /**
             * @description The new limit, below 2^198, in the smallest unit or NFTs; 0 for no mint at all.
             * @example 100
             */
            perDay: string;
        };
        /** @description `amount` is required for an ERC-20 token, `tokenId` for an ERC-721 token; the other one is refused. */
        ForceTransferRequest: {
            /** @description Whose holding it is. */
            from: components["schemas"]["Address"];
            /** @description Who gets it; null burns it. */
            to: components["schemas"]["Address"] | null;
            amount?: components["schemas"]["Amount"];
            tokenId?: components["schemas"]["TokenId"];
        };
        FreezeMetadataRequest: {
            tokenId?: components["schemas"]["TokenId"];
        };
        /**
         * @description How many digits of an amount stand behind the point; null for ERC-721.
         * @example 18
         */
        OptionalDecimals: number | null;
        TokenLimits: {
            /** @description What exists, in the smallest unit, or NFTs: minted and not burned. */
            totalSupply: components["schemas"]["Count"];
            /** @description The cap, see `POST /tokens`; null for none. */
            maxSupply: components["schemas"]["OptionalCount"];
            /** @description The most that the service may mint in a day; null for no limit. What it minted refills evenly over 24 hours. */
            mintLimitPerDay: components["schemas"]["OptionalCount"];
            /** @description The most that the service may mint at once now; null for no limit. */
            mintableNow: components["schemas"]["OptionalCount"];
            /** @description When the whole limit can be minted at once if nothing is until then; null for no limit. */
            fullAt: components["schemas"]["OptionalTimestamp"];
            /** @description Of the limit, what was minted and has not refilled yet; 0 without a limit. */
            mintedToday: components["schemas"]["Count"];
            /** @description True when nobody can mint. */
            mintClosed: boolean;
            /** @description From when on that cannot be taken back; null when minting is open. */
            mintClosesForGoodAt: components["schemas"]["OptionalTimestamp"];
            /** @description True when nobody can change any metadata. */
            metadataFrozen: boolean;
            /** @description From when on that cannot be taken back; null when it is not frozen. */
            metadataFrozenForGoodAt: components["schemas"]["OptionalTimestamp"];
            /** @description True when nobody can pause, lock, freeze or move holdings by force. */
            controlsRenounced: boolean;
            /** @description From when on that cannot be taken back; null when they are not renounced. */
            controlsRenouncedForGoodAt: components["schemas"]["OptionalTimestamp"];
            /** @description True when holdings can be moved or burned without consent. */
            recoverable: boolean;
            royalty: components["schemas"]["OptionalRoyalty"];
        };
        /**
         * @description A whole number as a decimal string.
         * @example 250
         */
        Count: string;
        /** @description A whole number as a decimal string, or null. */
        OptionalCount: components["schemas"]["Count"] | null;
        TokenAccount: {
            account: components["schemas"]["Address"];
            /** @description True while it may neither send nor receive. */
            frozen: boolean;
            /** @description True when it may receive mints of a permissioned token. */
            approved: boolean;
            /** @description What it holds, in the smallest unit, or NFTs. */
            balance: components["schemas"]["Count"];
        };
        /**
         * Format: uuid
         * @description The intent that this write became, as in `Intent-Id`; follow it with `GET /intents/{id}`.
         * @example 3a2cf1f6-90dd-4ecb-aa84-46042086a99b
         */
        AnsweredIntentId: string;
        DeployResult: {
            success: components["schemas"]["Success"];
            data: components["schemas"]["DeployedToken"];
        };
        /** @enum {boolean} */
        Success: true;
        DeployedToken: {
            address: components["schemas"]["Address"];
            type: components["schemas"]["TokenType"];
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            createdAt: components["schemas"]["Timestamp"];
            intentId: components["schemas"]["AnsweredIntentId"];
            transaction: components["schemas"]["Transaction"];
        };
        Transaction: {
            hash: components["schemas"]["TransactionHash"];
            /**
             * Format: uri
             * @description The transaction in a block explorer.
             */
            explorerUrl: string;
        };
        /** @description The transaction, or null when none was sent (yet). */
        OptionalTransaction: components["schemas"]["Transaction"] | null;
        TokenSummary: {
            address: components["schemas"]["Address"];
            type: components["schemas"]["TokenType"];
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            decimals: components["schemas"]["OptionalDecimals"];
            /** @description False when only approved accounts may receive mints. */
            permissionless: boolean;
            createdAt: components["schemas"]["Timestamp"];
        };
        TokenList: {
            data: components["schemas"]["TokenSummary"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        Token: {
            address: components["schemas"]["Address"];
            type: components["schemas"]["TokenType"];
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            /** @description True while mint, burn, metadata and transfers are halted. */
            paused: boolean;
            /** @description True while transfers and approvals are blocked. */
            transferLocked: boolean;
            /** @description False when only approved accounts may receive mints. */
            permissionless: boolean;
            owner: components["schemas"]["Address"];
            /** @description E-mail of the account that made the token. */
            creator: string;
        };
        MintTokenRequest: {
            owner: components["schemas"]["Address"];
            amount?: components["schemas"]["Amount"];
        };
        MintResult: {
            success: components["schemas"]["Success"];
            data: components["schemas"]["Mint"];
        };
        Mint: {
            /** @description The minted id; ERC-721 only. */
            tokenId?: components["schemas"]["TokenId"];
            transaction: components["schemas"]["Transaction"];
        };
        /**
         * @description What was asked for.
         * @enum {string}
         */
        IntentKind: "deploy_token" | "create_collection" | "mint" | "batch_mint" | "pause" | "unpause" | "lock_transfers" | "unlock_transfers" | "freeze" | "unfreeze" | "approve_account" | "unapprove_account" | "set_metadata" | "close_mint" | "set_mint_limit" | "force_transfer" | "set_royalty" | "freeze_metadata" | "reopen_mint" | "unfreeze_metadata" | "renounce_controls" | "restore_controls";
        /**
         * @description `queued` until it is signed, `submitted` until a verdict, then `confirmed` or `failed`; `cancelled` when it was withdrawn while queued.
         * @enum {string}
         */
        IntentStatus: "queued" | "submitted" | "confirmed" | "failed" | "cancelled";
        /**
         * @description A status, or `open` for `queued` and `submitted` together.
         * @enum {string}
         */
        IntentStatusFilter: "open" | "queued" | "submitted" | "confirmed" | "failed" | "cancelled";
        IntentReference: {
            id: components["schemas"]["Id"];
            kind: components["schemas"]["IntentKind"];
            status: components["schemas"]["IntentStatus"];
            transaction: components["schemas"]["OptionalTransaction"];
        };
        IntentAccepted: {
            intent: components["schemas"]["IntentReference"];
        };
        Intent: {
            id: components["schemas"]["Id"];
            kind: components["schemas"]["IntentKind"];
            /** @description The token or collection, also of its deployment. */
            contract: components["schemas"]["Address"];
            token: components["schemas"]["IntentToken"];
            /** @description Who receives it, of a mint and of a forced transfer; null when that burns. */
            to?: components["schemas"]["Address"] | null;
            /**
             * @description How much, as a decimal string: of an ERC-20 in its smallest unit, when it is minted or moved; of a batch the number of its NFTs.
             * @example 500000000000000000000
             */
            amount?: string;
            /** @description Which NFT is minted, moved or described; of a batch the first one, the others follow it. Null until a mint is confirmed, since the contract gives the ids. */
            tokenId?: components["schemas"]["TokenId"] | null;
            status: components["schemas"]["IntentStatus"];
            transaction: components["schemas"]["OptionalTransaction"];
            /** @description Why it failed; null otherwise. */
            error: components["schemas"]["ErrorBody"] | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            waiting?: components["schemas"]["IntentWaiting"];
        };
        IntentToken: {
            address: components["schemas"]["Address"];
            /** @description Null when the deployment of the token came to nothing after all. */
            symbol: components["schemas"]["TokenSymbol"] | null;
            /** @description How many digits of `amount` stand behind the point; null for ERC-721, and when the deployment of the token came to nothing after all. */
            decimals: components["schemas"]["OptionalDecimals"];
        };
        /** @description Why an intent has no verdict yet. Only `GET /intents/{id}` tells it, and only while the status is `queued` or `submitted`. */
        IntentWaiting: {
            /** @description The signer whose lane the intent waits in; null before that is known. */
            signer: components["schemas"]["Address"] | null;
            /**
             * @description Nonce of the transaction that carries it; null while it is queued.
             * @example 42
             */
            nonce: string | null;
            /**
             * @description Nonce of the signer's first transaction without a receipt, which everything later waits for.
             * @example 41
             */
            blockingNonce: string | null;
            /** @description Since when the cause holds, as far as it is known. */
            since: components["schemas"]["Timestamp"] | null;
            /**
             * @description One sentence.
             * @example It has nonce 42 and waits behind nonce 41, which was sent with one bid and is not mined.
             */
            cause: string;
            /**
             * @description What happens next, or what somebody has to do. One sentence.
             * @example Wait: every three blocks the service bids more for the first one.
             */
            action: string;
        };
        IntentTimeline: {
            data: components["schemas"]["TimelineEntry"][];
        };
        TimelineEntry: {
            event: components["schemas"]["TimelineEvent"];
            /** @description Null when nobody knows it. */
            at: components["schemas"]["OptionalTimestamp"];
            transaction: components["schemas"]["OptionalTransaction"];
            /**
             * @description Of the transaction that was sent, mined or given up.
             * @example 42
             */
            nonce: string | null;
            /** @description What was bid, in wei; null for what is no bid. */
            maxFeePerGas: components["schemas"]["OptionalCount"];
            /** @description Of that, what the block may keep. */
            maxPriorityFeePerGas: components["schemas"]["OptionalCount"];
            /** @description The block in which it was mined. */
            blockNumber: components["schemas"]["OptionalCount"];
        };
        /**
         * @description `accepted`; `sent` with the first bid of a transaction, `bid_raised` with a later one; `requeued` when that transaction did not bring it about and it was put back into the queue; `mined`; `confirmed` while a reorg may take the success back, and when nothing had to be sent; `failed`, `cancelled`; `final` when a success can not be taken back any more.
         * @enum {string}
         */
        TimelineEvent: "accepted" | "sent" | "bid_raised" | "requeued" | "mined" | "confirmed" | "failed" | "cancelled" | "final";
        IntentList: {
            data: components["schemas"]["Intent"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        SuccessResponse: {
            success: components["schemas"]["Success"];
        };
        AccountRequest: {
            account: components["schemas"]["Address"];
        };
        /** @description Null where a key is not set. A number that a double cannot hold is text. */
        Metadata: {
            name: string | null;
            description: string | null;
            image: string | null;
            /** @description The other keys. The owner of a contract may have written more and longer ones than `Attributes`. */
            attributes: {
                [key: string]: string | number | boolean;
            };
        };
        /**
         * @description At most 13 keys of 1 to 64 bytes in UTF-8; `name`, `description` and `image` are reserved. The keys `external_url`, `animation_url`, `background_color`, `display_type`, `external_link`, `banner_image`, `featured_image` and `collaborators` (separated by commas or blanks) are fields at the top of the JSON that marketplaces read; every other key is an attribute there.
         * @example {
         *       "edition": 7,
         *       "framed": true,
         *       "mood": "calm"
         *     }
         */
        Attributes: {
            [key: string]: string | number | boolean;
        };
        /** @description At most 8,192 bytes in total. `tokenId` is required for ERC-721 and refused for ERC-20. */
        SetMetadataRequest: {
            /**
             * @description Display name, at most 256 bytes in UTF-8.
             * @example Blue Hour
             */
            name: string;
            /**
             * @description For people to read, at most 2,048 bytes in UTF-8.
             * @example The harbour after sunset.
             */
            description: string;
            image?: components["schemas"]["ImageUri"];
            attributes?: components["schemas"]["Attributes"];
            tokenId?: components["schemas"]["TokenId"];
        };
        /**
         * @description Where the client hosts the image, at most 2,048 bytes in UTF-8; with a host, and without the characters that RFC 3986 leaves to no URI.
         * @example ipfs://bafybeialiceart/1.png
         */
        ImageUri: string;
        MetadataKeys: {
            /** @description Key names in the order of the chain. */
            keys: string[];
        };
        PreviewMetadataRequest: {
            /** @description Of the contract. */
            name: components["schemas"]["TokenName"];
            /** @description Of the contract. */
            symbol: components["schemas"]["TokenSymbol"];
            /** @description Of the NFT; left out for the contract itself. */
            tokenId?: components["schemas"]["TokenId"];
            /** @description None when left out. */
            metadata?: components["schemas"]["MetadataInput"];
        };
        /** @description JSON as marketplaces read it: the fields of OpenSea and ERC-7572, each present when its key is set, and every other key as an attribute. A number that a double cannot hold is text. */
        RenderedMetadata: {
            name: string;
            /** @description Of a contract only. */
            symbol?: string;
            description?: string;
            image?: string;
            external_url?: string;
            animation_url?: string;
            background_color?: string;
            display_type?: string;
            external_link?: string;
            banner_image?: string;
            featured_image?: string;
            collaborators?: string[];
            attributes?: components["schemas"]["RenderedAttribute"][];
        };
        RenderedAttribute: {
            trait_type: string;
            value: string | number | boolean;
        };
        ChangePasswordRequest: {
            /**
             * Format: password
             * @description The password as it is now.
             */
            currentPassword: string;
            /**
             * Format: password
             * @description 8 to 128 characters, none of the 3,000 commonest passwords, not the e-mail, not one repeated character and not only blanks. Counted as its NFKC form.
             */
            newPassword: string;
            /** @description Whether every API key of the account is revoked too; false when left out. */
            revokeKeys?: boolean;
        };
        ApiKeyList: {
            data: components["schemas"]["ApiKey"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        ApiKey: {
            id: components["schemas"]["Id"];
            name: string;
            environment: components["schemas"]["Environment"];
            /** @description The first characters of the key, to recognise it by. */
            keyPrefix: string;
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it was revoked; null while it works. */
            revokedAt: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description Sandbox costs nothing and sends nothing to a chain.
         * @enum {string}
         */
        Environment: "live" | "sandbox";
        CreateApiKeyRequest: {
            /**
             * @description A name to recognise the key by.
             * @example shop backend
             */
            name: string;
            /**
             * @description `sandbox` makes a key that costs nothing and sends nothing to a chain.
             * @default live
             */
            environment?: components["schemas"]["Environment"];
        };
        CreatedApiKey: {
            id: components["schemas"]["Id"];
            name: string;
            environment: components["schemas"]["Environment"];
            keyPrefix: string;
            /** @description The raw key. Answered once; absent in a replay. */
            key?: string;
            createdAt: components["schemas"]["Timestamp"];
        };
        Credits: {
            plan: components["schemas"]["Plan"];
            monthlyCredits: number;
            creditsUsed: number;
            creditsRemaining: number;
            periodStart: components["schemas"]["Timestamp"];
            periodEnd: components["schemas"]["Timestamp"];
            prices: components["schemas"]["Prices"];
        };
        /** @description Credits that each thing costs on this network. */
        Prices: {
            createCollection: number;
            mint: number;
        };
        CollectionList: {
            data: components["schemas"]["Collection"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        Collection: {
            address: components["schemas"]["Address"];
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            environment: components["schemas"]["Environment"];
            /** @description How many tokens were minted. */
            minted: number;
            transaction: components["schemas"]["OptionalTransaction"];
            createdAt: components["schemas"]["Timestamp"];
        };
        CreateCollectionRequest: {
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            maxSupply?: components["schemas"]["MaxSupply"];
            mintLimitPerDay?: components["schemas"]["MintLimitPerDay"];
            recoverable?: components["schemas"]["Recoverable"];
            royalty?: components["schemas"]["Royalty"];
        };
        CreatedCollection: {
            address: components["schemas"]["Address"];
            name: components["schemas"]["TokenName"];
            symbol: components["schemas"]["TokenSymbol"];
            environment: components["schemas"]["Environment"];
            minted: number;
            intentId: components["schemas"]["AnsweredIntentId"];
            transaction: components["schemas"]["OptionalTransaction"];
            createdAt: components["schemas"]["Timestamp"];
            credits: components["schemas"]["CreditsSpent"];
        };
        CreditsSpent: {
            /** @description Credits that this took. */
            cost: number;
            /** @description Credits left in this period. */
            remaining: number;
        };
        CollectionTokenList: {
            data: components["schemas"]["CollectionToken"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        CollectionToken: {
            tokenId: components["schemas"]["TokenId"];
            to: components["schemas"]["Address"];
            transaction: components["schemas"]["OptionalTransaction"];
            createdAt: components["schemas"]["Timestamp"];
        };
        MintNftRequest: {
            to: components["schemas"]["Address"];
            metadata?: components["schemas"]["MetadataInput"];
        };
        /** @description At most 8,192 bytes in total. */
        MetadataInput: {
            /**
             * @description Display name, at most 256 bytes in UTF-8.
             * @example Blue Hour
             */
            name: string;
            /**
             * @description For people to read, at most 2,048 bytes in UTF-8.
             * @example The harbour after sunset.
             */
            description: string;
            image?: components["schemas"]["ImageUri"];
            attributes?: components["schemas"]["Attributes"];
        };
        MintedNft: {
            tokenId: components["schemas"]["TokenId"];
            to: components["schemas"]["Address"];
            intentId: components["schemas"]["AnsweredIntentId"];
            transaction: components["schemas"]["OptionalTransaction"];
            credits: components["schemas"]["CreditsSpent"];
        };
        MintNftBatchRequest: {
            items: components["schemas"]["MintNftRequest"][];
        };
        MintedNftBatch: {
            tokens: components["schemas"]["BatchToken"][];
            intentId: components["schemas"]["AnsweredIntentId"];
            transaction: components["schemas"]["OptionalTransaction"];
            credits: components["schemas"]["CreditsSpent"];
        };
        BatchToken: {
            tokenId: components["schemas"]["TokenId"];
            to: components["schemas"]["Address"];
        };
        /**
         * Format: uri
         * @description Where messages are sent: https, a public address, port 443, 80 or above 1023, no user name, no fragment.
         * @example https://shop.example/hooks/mintmark
         */
        WebhookUrl: string;
        /** @description What the webhook is told. */
        WebhookEvents: components["schemas"]["WebhookEvent"][];
        CreateWebhookRequest: {
            url: components["schemas"]["WebhookUrl"];
            /** @description The three of intents when left out. */
            events?: components["schemas"]["WebhookEvents"];
        };
        UpdateWebhookRequest: {
            url?: components["schemas"]["WebhookUrl"];
            events?: components["schemas"]["WebhookEvents"];
            enabled?: boolean;
        };
        Webhook: {
            id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["WebhookEvents"];
            enabled: boolean;
            /** @description Why the service disabled it; null otherwise. */
            disabledReason: components["schemas"]["DisabledReason"] | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        CreatedWebhook: {
            id: components["schemas"]["Id"];
            environment: components["schemas"]["Environment"];
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["WebhookEvents"];
            enabled: boolean;
            /** @description Why the service disabled it; null otherwise. */
            disabledReason: components["schemas"]["DisabledReason"] | null;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            secret?: components["schemas"]["WebhookSecret"];
        };
        /** @description The signing secret. Answered once; a replay under the same `Idempotency-Key` has none. */
        WebhookSecret: string;
        RotatedWebhookSecret: {
            secret?: components["schemas"]["WebhookSecret"];
            previousSecretExpiresAt: components["schemas"]["Timestamp"];
        };
        WebhookList: {
            data: components["schemas"]["Webhook"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        OptionalTimestamp: components["schemas"]["Timestamp"] | null;
        WebhookDelivery: {
            /** @description The `webhook-id` of the message. */
            id: components["schemas"]["Id"];
            event: components["schemas"]["DeliveryEvent"];
            /** @description The intent that it tells of; null for an event that is none of an intent. */
            intentId: components["schemas"]["Id"] | null;
            status: components["schemas"]["DeliveryStatus"];
            /** @description Attempts since it was made or replayed. */
            attempts: number;
            /** @description What the receiver answered last; null when it did not answer. */
            responseStatus: number | null;
            /** @description Why the last attempt failed. */
            error: string | null;
            /** @description Null when there is none. */
            nextAttemptAt: components["schemas"]["OptionalTimestamp"];
            /** @description Of the last attempt. */
            attemptedAt: components["schemas"]["OptionalTimestamp"];
            createdAt: components["schemas"]["Timestamp"];
        };
        WebhookDeliveryList: {
            data: components["schemas"]["WebhookDelivery"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        /**
         * Format: int32
         * @description Rises with each message about the same intent, of `account.wallet_changed` with each about the same account, not always by one. Messages may arrive in any order: the one with the highest sequence counts.
         * @example 1
         */
        MessageSequence: number;
        IntentEvent: {
            type: components["schemas"]["IntentEventType"];
            /** @description When it happened. What one reorg takes back and confirms has the same. */
            timestamp: components["schemas"]["Timestamp"];
            sequence: components["schemas"]["MessageSequence"];
            /** @description The intent as it was at that moment. */
            data: components["schemas"]["Intent"];
        };
        AuditEntry: {
            action: components["schemas"]["AuditAction"];
            actor: components["schemas"]["AuditActor"];
            /** @description The session, access token or API key; that of a sign-in is the one it got. Null for the operator. */
            credentialId: components["schemas"]["Id"] | null;
            /**
             * @description Of the client. Null for the operator.
             * @example 203.0.113.7
             */
            address: string | null;
            /**
             * @description What the client called itself, at most 256 characters.
             * @example shop/1.4
             */
            userAgent: string | null;
            /** @description Of what was changed; null when it belongs to neither. */
            environment: components["schemas"]["Environment"] | null;
            /** @description The intent of a write; null for everything else. */
            intentId: components["schemas"]["Id"] | null;
            /** @description What was changed, by action. */
            details: {
                [key: string]: string | boolean | null;
            };
            createdAt: components["schemas"]["Timestamp"];
            /** @description SHA-256 that links the entry to the one before it in the log of the whole service. Null for some seconds, until it is linked. */
            hash: string | null;
        };
        AuditList: {
            data: components["schemas"]["AuditEntry"][];
            nextCursor: components["schemas"]["NextCursor"];
        };
        WalletChangedEvent: {
            /** @enum {string} */
            type: "account.wallet_changed";
            /** @description When it happened. */
            timestamp: components["schemas"]["Timestamp"];
            sequence: components["schemas"]["MessageSequence"];
            data: {
                accountId: components["schemas"]["Id"];
                walletAddress: components["schemas"]["WalletAddress"];
                previousWalletAddress: components["schemas"]["WalletAddress"];
            };
        };
        WebhookTestEvent: {
            /** @enum {string} */
            type: "webhook.test";
            timestamp: components["schemas"]["Timestamp"];
            data: {
                webhookId: components["schemas"]["Id"];
            };
        };
        /**
         * @description What a webhook can be told.
         * @enum {string}
         */
        WebhookEvent: "intent.confirmed" | "intent.failed" | "intent.retracted" | "account.wallet_changed";
        /**
         * @description The receiver answered 410 Gone (`GONE`), or every attempt of five days failed (`FAILING`).
         * @enum {string}
         */
        DisabledReason: "GONE" | "FAILING";
        /**
         * @description What a message tells.
         * @enum {string}
         */
        DeliveryEvent: "intent.confirmed" | "intent.failed" | "intent.retracted" | "account.wallet_changed" | "webhook.test";
        /**
         * @description `pending` while an attempt is yet to come, `failed` when there will be none.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "failed";
        /**
         * @description What became of an intent.
         * @enum {string}
         */
        IntentEventType: "intent.confirmed" | "intent.failed" | "intent.retracted";
        /**
         * @description What was done.
         * @enum {string}
         */
        AuditAction: "registration" | "sign_in" | "sign_in_failed" | "sign_out" | "password_changed" | "password_change_failed" | "password_throttled" | "password_reset" | "wallet_changed" | "plan_changed" | "account_suspended" | "account_resumed" | "key_created" | "key_revoked" | "webhook_created" | "webhook_updated" | "webhook_deleted" | "webhook_secret_rotated" | "webhook_tested" | "webhook_delivery_replayed" | "write" | "write_cancelled" | "admin_command" | "audit_closed";
        /**
         * @description The account itself, the operator of the service, or somebody who did not get in.
         * @enum {string}
         */
        AuditActor: "account" | "operator" | "stranger";
    };
    responses: {
        /** @description The request is durable and will be carried out. It took longer than the service waits, or `respond-async` was asked for. */
        Accepted: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "Preference-Applied": components["headers"]["PreferenceApplied"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IntentAccepted"];
            };
        };
        /** @description The credential is missing, unknown, expired, revoked or of the wrong kind. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Unknown e-mail or wrong password. */
        WrongCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The operator of the service has suspended the account. */
        AccountSuspended: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The API key may not do this. */
        KeyNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The API key may not do this, or the quota of the period is used up. */
        KeyNotAllowedOrQuotaExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The token belongs to another account, or the API key may not do this. */
        NotYourToken: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The token belongs to another account, the API key may not do this, or the quota is used up. */
        NotYourTokenOrQuotaExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The token belongs to another account, the API key may not do this, or the limit would rise: only the owner on the chain or the administrator of the operator contract may do that. */
        NotYourTokenOrRaise: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The service knows no token at this address. */
        TokenNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description This account has no such intent. */
        IntentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The e-mail is already registered. The invite code stays usable, ten times. */
        DuplicateEmail: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Another request with this `Idempotency-Key` is still being accepted, or the intent was cancelled before it was sent. */
        StillBeingAccepted: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body or a parameter is not as this document asks for. */
        ValidationError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is not as this document asks for, or the invite code is unknown or used. */
        RegistrationRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body or a parameter is not as this document asks for, or the `Idempotency-Key` has another request. */
        InvalidWrite: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body or a parameter is not as this document asks for, the base URI is too long, or the `Idempotency-Key` has another request. */
        DeployRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body or a parameter is not as this document asks for, does not fit the token's type, or the recipient is not approved; or the `Idempotency-Key` has another request. */
        WriteRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Too many points in a minute; or, for a write, 10,000 intents of the account are open already, or the gas of the day does not suffice, or 100 changes of the account wait for each other; or, for a preview or a batch, 100 of them; or too many test events and replays of webhooks in a minute. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Something is out of order; the message names it. What was accepted goes on as soon as it can. */
        NotReady: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Something unexpected went wrong. What was asked may or may not have happened. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The call had no effect on the chain. Quota or credits are given back. */
        ChainError: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The chain does not answer. */
        ChainUnreachable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The factory is missing or paused, or no signer can pay for gas. Nothing was spent. */
        DeployUnavailable: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The session cookie works only from pages of this service, and with a JSON body. */
        CrossSite: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The intent is submitted, confirmed or failed, or another request with this `Idempotency-Key` is still being accepted. */
        TooLateToCancel: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A parameter is not as this document asks for, or the `Idempotency-Key` has another request. */
        ControlRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body or a parameter is not as this document asks for, does not fit the type of the token, or names a token that was never minted; or the `Idempotency-Key` has another request. */
        BoundsRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body or a parameter is not as this document asks for, or does not fit the type of the token; or the token is not recoverable; or the `Idempotency-Key` has another request. */
        ForceTransferRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A parameter is not as this document asks for, does not fit the type of the token, or names a token that was never minted. */
        MetadataReadRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body or a parameter is not as this document asks for, does not fit the type of the token, or names a token that was never minted; or the `Idempotency-Key` has another request. */
        MetadataRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The session is missing or invalid, or the current password is wrong. */
        WrongPassword: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is not as this document asks for, or the `Idempotency-Key` has another request. */
        PasswordRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description This account has no such key. */
        ApiKeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key is revoked already. */
        AlreadyRevoked: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The session cookie was sent from another site, or the credits of the period are used up. */
        CrossSiteOrOutOfCredits: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is not as this document asks for, or the `Idempotency-Key` has another request. */
        CreateCollectionRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The collection belongs to another account. */
        NotYourCollection: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The service knows no such collection in the environment of the credential. */
        CollectionNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The collection belongs to another account, the session cookie was sent from another site, or the credits of the period are used up. */
        CollectionForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is not as this document asks for, or the batch is too large for one transaction; or the `Idempotency-Key` has another request. */
        BatchRefused: {
            headers: {
                "Intent-Id": components["headers"]["IntentId"];
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description This account has no such webhook in the environment of the credential. */
        WebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description This account has no such webhook in the environment of the credential, or the webhook no such delivery. */
        WebhookDeliveryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The body is not as this document asks for, or the service sends nothing to such a URL; or the `Idempotency-Key` has another request. */
        WebhookRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A parameter is not as this document asks for, or the `Idempotency-Key` has another request. */
        WebhookActionRefused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The account has 20 API keys of this environment, or another request with this `Idempotency-Key` is still being accepted. */
        TooManyApiKeys: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The account has ten webhooks in this environment, or another request with this `Idempotency-Key` is still being accepted. */
        TooManyWebhooks: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The webhook is disabled, or another request with this `Idempotency-Key` is still being accepted. */
        WebhookDisabled: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The operator of the service has set no key for the secrets of webhooks. */
        NoWebhookKey: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: {
        /**
         * @description Address of a token contract of this account.
         * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
         */
        TokenAddress: components["schemas"]["Address"];
        /**
         * @description Address of any account.
         * @example 0x3440326f551B8A7ee198cEE35cb5D517f2d296a2
         */
        HolderAddress: components["schemas"]["Address"];
        /**
         * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
         * @example order-8421-mint
         */
        IdempotencyKey: string;
        /**
         * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
         * @example respond-async
         */
        Prefer: string;
        /**
         * @description How many entries a page holds at most, in decimal digits.
         * @example 20
         */
        Limit: number;
        /**
         * @description The `nextCursor` of the page before. Leave it out for the first page.
         * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
         */
        Cursor: components["schemas"]["PageCursor"];
        /**
         * @description Only intents with this status; `open` are those that are `queued` or `submitted`.
         * @example submitted
         */
        StatusFilter: components["schemas"]["IntentStatusFilter"];
        /**
         * @description Only intents of this kind.
         * @example mint
         */
        KindFilter: components["schemas"]["IntentKind"];
        /**
         * @description Only those whose name or symbol contains this, in any case of its letters, or whose address begins with it, where it begins with 0x.
         * @example alice
         */
        Search: string;
        /**
         * @description Only tokens of this standard.
         * @example ERC20
         */
        TypeFilter: components["schemas"]["TokenType"];
        /**
         * @description Only intents on this contract.
         * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
         */
        ContractFilter: components["schemas"]["Address"];
        /**
         * @description Only entries of this action.
         * @example sign_in
         */
        ActionFilter: components["schemas"]["AuditAction"];
        /**
         * @description Only messages with this status.
         * @example failed
         */
        DeliveryStatusFilter: components["schemas"]["DeliveryStatus"];
        /**
         * @description The value of the `Intent-Id` header of a write.
         * @example 3a2cf1f6-90dd-4ecb-aa84-46042086a99b
         */
        IntentId: components["schemas"]["Id"];
        /**
         * @description Id of an NFT of the contract; ERC-721 only.
         * @example 1
         */
        TokenIdQuery: components["schemas"]["TokenId"];
        /**
         * @description Id of an NFT of the contract.
         * @example 1
         */
        TokenIdPath: components["schemas"]["TokenId"];
        /**
         * @description Id of an API key of this account.
         * @example 2120edb4-25af-443a-a8bd-41f341dfd586
         */
        ApiKeyId: components["schemas"]["Id"];
        /**
         * @description Id of a webhook of this account, in the environment of the credential.
         * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
         */
        WebhookId: components["schemas"]["Id"];
        /**
         * @description Id of a delivery of this webhook, which is its `webhook-id`.
         * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
         */
        WebhookDeliveryId: components["schemas"]["Id"];
        /**
         * @description Names the message, the same at each attempt. Drop what you have seen.
         * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
         */
        WebhookMessageId: components["schemas"]["Id"];
        /**
         * @description When this attempt was made, in seconds since 1970. Refuse what is older than some minutes.
         * @example 1789374662
         */
        WebhookMessageTimestamp: string;
        /**
         * @description `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. After a rotation there are two, with a space between; one that fits is enough.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        WebhookMessageSignature: string;
        /**
         * @description Address of a collection of this account.
         * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
         */
        CollectionAddress: components["schemas"]["Address"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names the request in the logs of the service: the caller's own `X-Request-Id` when it has 1 to 64 letters, digits, `_`, `.` and `-`, else a UUID. Quote it when you report something.
         * @example 6f1d0a52-3c1e-4b57-9a3e-0d5c1c7f2b64
         */
        RequestId: string;
        /**
         * @description Id of the intent; follow it with `GET /intents/{id}`.
         * @example 3a2cf1f6-90dd-4ecb-aa84-46042086a99b
         */
        IntentId: components["schemas"]["Id"];
        /**
         * @description Hash of the transaction that carried the intent. Absent when nothing had to be sent.
         * @example 0x1f183a334e9d841962cec997cfab99891cb30d1dbd19449aec217d073198c84d
         */
        TransactionHash: components["schemas"]["TransactionHash"];
        /**
         * @description The transaction in a block explorer, as `<url>; rel="related"`. Absent when nothing had to be sent.
         * @example <https://explorer.example/tx/0x1f183a334e9d841962cec997cfab99891cb30d1dbd19449aec217d073198c84d>; rel="related"
         */
        TransactionLink: string;
        /**
         * @description `respond-async` when that preference was asked for and honoured.
         * @example respond-async
         */
        PreferenceApplied: "respond-async";
        /**
         * @description Seconds to wait before trying again; a day at the most.
         * @example 30
         */
        RetryAfter: number;
        /**
         * @description Points left (`r`) and seconds until the count starts afresh (`t`). Absent where requests are not counted: `/health` and `/ready`.
         * @example "account";r=59999;t=30
         */
        RateLimit: string;
        /**
         * @description Of the form that was sent, packed or not; with `If-None-Match` the answer is 304 while it is the same.
         * @example "3ow2bq1nJ8bGq0iJm4yVbmwX4Sx1uQ9jWz0mYp5l6xA-gzip"
         */
        ETag: string;
        /**
         * @description Points (`q`) in so many seconds (`w`), counted for the account, whatever its credentials, or for the address.
         * @example "account";q=60000;w=60
         */
        RateLimitPolicy: string;
        /**
         * @description The session cookie `service_session`. `Secure` is added when the service is reached over HTTPS.
         * @example service_session=7Yp3kq0ZtV; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax
         */
        SessionCookie: string;
        /**
         * @description The kind of credential that the operation takes in its header; left out where only the session cookie works.
         * @example Bearer
         */
        Challenge: "Bearer";
        /**
         * @description Clears the session cookie `service_session`.
         * @example service_session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax
         */
        ClearedCookie: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service answers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            500: components["responses"]["InternalError"];
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everything is in order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["NotReady"];
        };
    };
    getNetwork: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The chain. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Network"];
                };
            };
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
            /** @description The client has this document already. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    registerAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterAccountRequest"];
            };
        };
        responses: {
            /** @description The account exists and the session cookie is set. */
            201: {
                headers: {
                    "Set-Cookie": components["headers"]["SessionCookie"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            409: components["responses"]["DuplicateEmail"];
            422: components["responses"]["RegistrationRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Credentials"];
            };
        };
        responses: {
            /** @description The session cookie is set. */
            200: {
                headers: {
                    "Set-Cookie": components["headers"]["SessionCookie"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            401: components["responses"]["WrongCredentials"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session is valid. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Credentials"];
            };
        };
        responses: {
            /** @description The access token. It is shown only here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            401: components["responses"]["WrongCredentials"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowed"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProfileRequest"];
            };
        };
        responses: {
            /** @description The updated profile. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowed"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["InvalidWrite"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quota of the current period. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowed"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getGasStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gas of the running day. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GasStats"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowed"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description Only those whose name or symbol contains this, in any case of its letters, or whose address begins with it, where it begins with 0x.
                 * @example alice
                 */
                search?: components["parameters"]["Search"];
                /**
                 * @description Only tokens of this standard.
                 * @example ERC20
                 */
                type?: components["parameters"]["TypeFilter"];
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tokens. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowed"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deployToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeployTokenRequest"];
            };
        };
        responses: {
            /** @description The token is deployed. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployResult"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowedOrQuotaExceeded"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["DeployRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
            503: components["responses"]["DeployUnavailable"];
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    mintToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MintTokenRequest"];
            };
        };
        responses: {
            /** @description Minted. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintResult"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourTokenOrQuotaExceeded"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["WriteRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    getIntent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The value of the `Intent-Id` header of a write.
                 * @example 3a2cf1f6-90dd-4ecb-aa84-46042086a99b
                 */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The intent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Intent"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            404: components["responses"]["IntentNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listIntents: {
        parameters: {
            query?: {
                /**
                 * @description Only intents with this status; `open` are those that are `queued` or `submitted`.
                 * @example submitted
                 */
                status?: components["parameters"]["StatusFilter"];
                /**
                 * @description Only intents of this kind.
                 * @example mint
                 */
                kind?: components["parameters"]["KindFilter"];
                /**
                 * @description Only intents on this contract.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                contract?: components["parameters"]["ContractFilter"];
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of intents. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntentList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getIntentTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The value of the `Intent-Id` header of a write.
                 * @example 3a2cf1f6-90dd-4ecb-aa84-46042086a99b
                 */
                id: components["parameters"]["IntentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened so far. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntentTimeline"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            404: components["responses"]["IntentNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    cancelIntent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The value of the `Intent-Id` header of a write.
                 * @example 3a2cf1f6-90dd-4ecb-aa84-46042086a99b
                 */
                id: components["parameters"]["IntentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Intent"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            404: components["responses"]["IntentNotFound"];
            409: components["responses"]["TooLateToCancel"];
            422: components["responses"]["ControlRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateAccessTokenRequest"];
            };
        };
        responses: {
            /** @description The access token. It is shown only here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccessToken"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowed"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    pauseToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is paused. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["ControlRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    unpauseToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is not paused. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["ControlRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    lockTransfers: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Transfers are locked. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["ControlRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    unlockTransfers: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Transfers are not locked. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["ControlRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    freezeAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountRequest"];
            };
        };
        responses: {
            /** @description The account is frozen. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["WriteRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    unfreezeAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountRequest"];
            };
        };
        responses: {
            /** @description The account is not frozen. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["WriteRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    approveAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountRequest"];
            };
        };
        responses: {
            /** @description The account is approved. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["WriteRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    unapproveAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountRequest"];
            };
        };
        responses: {
            /** @description The account is not approved. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["WriteRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    closeMint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Minting is closed. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    reopenMint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Minting is open. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    renounceControls: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The controls are given up. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    restoreControls: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The controls can be used. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    setMintLimit: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetMintLimitRequest"];
            };
        };
        responses: {
            /** @description The limit applies. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourTokenOrRaise"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    forceTransfer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForceTransferRequest"];
            };
        };
        responses: {
            /** @description The holding is moved or burned. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["ForceTransferRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    setRoyalty: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Royalty"];
            };
        };
        responses: {
            /** @description The royalty is set. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    getTokenLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Supply and limits. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenLimits"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    getTokenAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
                /**
                 * @description Address of any account.
                 * @example 0x3440326f551B8A7ee198cEE35cb5D517f2d296a2
                 */
                account: components["parameters"]["HolderAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The marks and the balance. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenAccount"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    getMetadata: {
        parameters: {
            query?: {
                /**
                 * @description Id of an NFT of the contract; ERC-721 only.
                 * @example 1
                 */
                tokenId?: components["parameters"]["TokenIdQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Metadata"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            422: components["responses"]["MetadataReadRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    setMetadata: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetMetadataRequest"];
            };
        };
        responses: {
            /** @description The metadata is on the chain. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["MetadataRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    listMetadataKeys: {
        parameters: {
            query?: {
                /**
                 * @description Id of an NFT of the contract; ERC-721 only.
                 * @example 1
                 */
                tokenId?: components["parameters"]["TokenIdQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetadataKeys"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            422: components["responses"]["MetadataReadRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    freezeMetadata: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FreezeMetadataRequest"];
            };
        };
        responses: {
            /** @description The metadata is frozen. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    unfreezeMetadata: {
        parameters: {
            query?: {
                /**
                 * @description Id of an NFT of the contract; ERC-721 only.
                 * @example 1
                 */
                tokenId?: components["parameters"]["TokenIdQuery"];
            };
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata can change. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourToken"];
            404: components["responses"]["TokenNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BoundsRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    previewMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewMetadataRequest"];
            };
        };
        responses: {
            /** @description The JSON that the contract would render. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedMetadata"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            422: components["responses"]["MetadataRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    getContractUri: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The JSON that the contract renders. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedMetadata"];
                };
            };
            404: components["responses"]["TokenNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    getTokenUri: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a token contract of this account.
                 * @example 0xA8c8e2923478E38f34c2e656751900643c274BE8
                 */
                address: components["parameters"]["TokenAddress"];
                /**
                 * @description Id of an NFT of the contract.
                 * @example 1
                 */
                tokenId: components["parameters"]["TokenIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The JSON that the contract renders. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedMetadata"];
                };
            };
            404: components["responses"]["TokenNotFound"];
            422: components["responses"]["MetadataReadRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainUnreachable"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    "Set-Cookie": components["headers"]["ClearedCookie"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["ControlRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description The password is changed. */
            204: {
                headers: {
                    "Set-Cookie": components["headers"]["SessionCookie"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["WrongPassword"];
            403: components["responses"]["CrossSite"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["PasswordRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            409: components["responses"]["TooManyApiKeys"];
            422: components["responses"]["ControlRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of an API key of this account.
                 * @example 2120edb4-25af-443a-a8bd-41f341dfd586
                 */
                id: components["parameters"]["ApiKeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            404: components["responses"]["ApiKeyNotFound"];
            409: components["responses"]["AlreadyRevoked"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getCredits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credits of the current period, and what things cost on this network. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credits"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /**
                 * @description Only those whose name or symbol contains this, in any case of its letters, or whose address begins with it, where it begins with 0x.
                 * @example alice
                 */
                search?: components["parameters"]["Search"];
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of collections. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCollectionRequest"];
            };
        };
        responses: {
            /** @description The collection exists. */
            201: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCollection"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSiteOrOutOfCredits"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["CreateCollectionRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
            503: components["responses"]["DeployUnavailable"];
        };
    };
    getCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The collection. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourCollection"];
            404: components["responses"]["CollectionNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listCollectionTokens: {
        parameters: {
            query?: {
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tokens. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionTokenList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["NotYourCollection"];
            404: components["responses"]["CollectionNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    mintNft: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MintNftRequest"];
            };
        };
        responses: {
            /** @description Minted. */
            201: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedNft"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CollectionForbidden"];
            404: components["responses"]["CollectionNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["MetadataRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    mintNftBatch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MintNftBatchRequest"];
            };
        };
        responses: {
            /** @description Minted, in the order of the items. */
            201: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedNftBatch"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CollectionForbidden"];
            404: components["responses"]["CollectionNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["BatchRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    setCollectionMetadata: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetadataInput"];
            };
        };
        responses: {
            /** @description The metadata is on the chain. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CollectionForbidden"];
            404: components["responses"]["CollectionNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["MetadataRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    setNftMetadata: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` answers 202 as soon as the request is durable, without waiting for the chain. Other preferences are ignored.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Address of a collection of this account.
                 * @example 0xb8AB77b574c5e2c78Ef3d2D70D6124dfF1825F41
                 */
                address: components["parameters"]["CollectionAddress"];
                /**
                 * @description Id of an NFT of the contract.
                 * @example 1
                 */
                tokenId: components["parameters"]["TokenIdPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetadataInput"];
            };
        };
        responses: {
            /** @description The metadata is on the chain. */
            200: {
                headers: {
                    "Intent-Id": components["headers"]["IntentId"];
                    "Transaction-Hash": components["headers"]["TransactionHash"];
                    Link: components["headers"]["TransactionLink"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessResponse"];
                };
            };
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CollectionForbidden"];
            404: components["responses"]["CollectionNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["MetadataRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ChainError"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Registered. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            409: components["responses"]["TooManyWebhooks"];
            422: components["responses"]["WebhookRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["NoWebhookKey"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description The changed webhook. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["WebhookRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replaced. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhookSecret"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["StillBeingAccepted"];
            422: components["responses"]["WebhookActionRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["NoWebhookKey"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description On its way. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["WebhookDisabled"];
            422: components["responses"]["WebhookActionRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only messages with this status.
                 * @example failed
                 */
                status?: components["parameters"]["DeliveryStatusFilter"];
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountSuspended"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe: 1 to 255 printable ASCII characters. A record lives for 24 hours past the verdict. The same key with another request is 422.
                 * @example order-8421-mint
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of a webhook of this account, in the environment of the credential.
                 * @example 8d2f5a5e-6b1c-4a57-9a4b-1f0c3a6f2d11
                 */
                id: components["parameters"]["WebhookId"];
                /**
                 * @description Id of a delivery of this webhook, which is its `webhook-id`.
                 * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
                 */
                deliveryId: components["parameters"]["WebhookDeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description On its way. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CrossSite"];
            404: components["responses"]["WebhookDeliveryNotFound"];
            409: components["responses"]["WebhookDisabled"];
            422: components["responses"]["WebhookActionRefused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /**
                 * @description Only entries of this action.
                 * @example sign_in
                 */
                action?: components["parameters"]["ActionFilter"];
                /**
                 * @description How many entries a page holds at most, in decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `nextCursor` of the page before. Leave it out for the first page.
                 * @example MjAyNi0wOS0xNFQwODozMDoxMi4zNDVa
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["KeyNotAllowed"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    receiveIntentConfirmed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Names the message, the same at each attempt. Drop what you have seen.
                 * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
                 */
                "webhook-id": components["parameters"]["WebhookMessageId"];
                /**
                 * @description When this attempt was made, in seconds since 1970. Refuse what is older than some minutes.
                 * @example 1789374662
                 */
                "webhook-timestamp": components["parameters"]["WebhookMessageTimestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. After a rotation there are two, with a space between; one that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["WebhookMessageSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntentEvent"];
            };
        };
        responses: {
            /** @description The receiver is gone for good. The service disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Any other status is a failure, after which the message comes again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveIntentFailed: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Names the message, the same at each attempt. Drop what you have seen.
                 * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
                 */
                "webhook-id": components["parameters"]["WebhookMessageId"];
                /**
                 * @description When this attempt was made, in seconds since 1970. Refuse what is older than some minutes.
                 * @example 1789374662
                 */
                "webhook-timestamp": components["parameters"]["WebhookMessageTimestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. After a rotation there are two, with a space between; one that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["WebhookMessageSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntentEvent"];
            };
        };
        responses: {
            /** @description The receiver is gone for good. The service disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Any other status is a failure, after which the message comes again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveIntentRetracted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Names the message, the same at each attempt. Drop what you have seen.
                 * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
                 */
                "webhook-id": components["parameters"]["WebhookMessageId"];
                /**
                 * @description When this attempt was made, in seconds since 1970. Refuse what is older than some minutes.
                 * @example 1789374662
                 */
                "webhook-timestamp": components["parameters"]["WebhookMessageTimestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. After a rotation there are two, with a space between; one that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["WebhookMessageSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntentEvent"];
            };
        };
        responses: {
            /** @description The receiver is gone for good. The service disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Any other status is a failure, after which the message comes again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWalletChanged: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Names the message, the same at each attempt. Drop what you have seen.
                 * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
                 */
                "webhook-id": components["parameters"]["WebhookMessageId"];
                /**
                 * @description When this attempt was made, in seconds since 1970. Refuse what is older than some minutes.
                 * @example 1789374662
                 */
                "webhook-timestamp": components["parameters"]["WebhookMessageTimestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. After a rotation there are two, with a space between; one that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["WebhookMessageSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletChangedEvent"];
            };
        };
        responses: {
            /** @description The receiver is gone for good. The service disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Any other status is a failure, after which the message comes again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveWebhookTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Names the message, the same at each attempt. Drop what you have seen.
                 * @example 5f3c9a1e-2b7d-4e0f-8a6c-91d2e4b7c853
                 */
                "webhook-id": components["parameters"]["WebhookMessageId"];
                /**
                 * @description When this attempt was made, in seconds since 1970. Refuse what is older than some minutes.
                 * @example 1789374662
                 */
                "webhook-timestamp": components["parameters"]["WebhookMessageTimestamp"];
                /**
                 * @description `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. After a rotation there are two, with a space between; one that fits is enough.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["WebhookMessageSignature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description The receiver is gone for good. The service disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Any other status is a failure, after which the message comes again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
/** The security schemes that each operation accepts; `never` when it is public. */
export interface security {
    getHealth: never;
    getReady: never;
    getNetwork: never;
    getOpenapi: never;
    registerAccount: never;
    logIn: never;
    getSession: "session";
    signIn: never;
    getProfile: "accessToken" | "liveKey";
    updateProfile: "accessToken";
    getStats: "accessToken" | "liveKey";
    getGasStats: "accessToken" | "liveKey";
    listTokens: "accessToken" | "liveKey";
    deployToken: "accessToken" | "liveKey";
    getToken: "accessToken" | "liveKey";
    mintToken: "accessToken" | "liveKey";
    getIntent: "accessToken" | "liveKey" | "sandboxKey" | "session";
    listIntents: "accessToken" | "liveKey" | "sandboxKey" | "session";
    getIntentTimeline: "accessToken" | "liveKey" | "sandboxKey" | "session";
    cancelIntent: "accessToken" | "liveKey" | "sandboxKey" | "session";
    createAccessToken: "session";
    signOut: "accessToken";
    pauseToken: "accessToken" | "liveKey";
    unpauseToken: "accessToken" | "liveKey";
    lockTransfers: "accessToken" | "liveKey";
    unlockTransfers: "accessToken" | "liveKey";
    freezeAccount: "accessToken" | "liveKey";
    unfreezeAccount: "accessToken" | "liveKey";
    approveAccount: "accessToken" | "liveKey";
    unapproveAccount: "accessToken" | "liveKey";
    closeMint: "accessToken" | "liveKey";
    reopenMint: "accessToken" | "liveKey";
    renounceControls: "accessToken" | "liveKey";
    restoreControls: "accessToken" | "liveKey";
    setMintLimit: "accessToken" | "liveKey";
    forceTransfer: "accessToken" | "liveKey";
    setRoyalty: "accessToken" | "liveKey";
    getTokenLimits: "accessToken" | "liveKey";
    getTokenAccount: "accessToken" | "liveKey";
    getMetadata: "accessToken" | "liveKey";
    setMetadata: "accessToken" | "liveKey";
    listMetadataKeys: "accessToken" | "liveKey";
    freezeMetadata: "accessToken" | "liveKey";
    unfreezeMetadata: "accessToken" | "liveKey";
    previewMetadata: "accessToken" | "liveKey" | "sandboxKey" | "session";
    getContractUri: never;
    getTokenUri: never;
    logOut: "session";
    changePassword: "session";
    listApiKeys: "session";
    createApiKey: "session";
    revokeApiKey: "session";
    getCredits: "session";
    listCollections: "session" | "liveKey" | "sandboxKey";
    createCollection: "session" | "liveKey" | "sandboxKey";
    getCollection: "session" | "liveKey" | "sandboxKey";
    listCollectionTokens: "session" | "liveKey" | "sandboxKey";
    mintNft: "session" | "liveKey" | "sandboxKey";
    mintNftBatch: "session" | "liveKey" | "sandboxKey";
    setCollectionMetadata: "session" | "liveKey" | "sandboxKey";
    setNftMetadata: "session" | "liveKey" | "sandboxKey";
    listWebhooks: "session" | "liveKey" | "sandboxKey";
    createWebhook: "session" | "liveKey" | "sandboxKey";
    getWebhook: "session" | "liveKey" | "sandboxKey";
    updateWebhook: "session" | "liveKey" | "sandboxKey";
    deleteWebhook: "session" | "liveKey" | "sandboxKey";
    rotateWebhookSecret: "session" | "liveKey" | "sandboxKey";
    testWebhook: "session" | "liveKey" | "sandboxKey";
    listWebhookDeliveries: "session" | "liveKey" | "sandboxKey";
    replayWebhookDelivery: "session" | "liveKey" | "sandboxKey";
    listAudit: "accessToken" | "session";
}
