import { organizationNoteCodes } from './organization_note_codes.ts'

/** The notes of an explanation, each with its values. Web pages read this file too. */
export const noteCodes = [
  /** Something here failed while the request was read. Nothing of its meaning is known. */
  'notExplained',
  /** A payload is the body of a request to a server like this one. `values`: which request, and of which organization. */
  'isRequest',
  /** A payload is what a client signs beside a verification token, to log in or to sign up. */
  'logsIn',
  /** The fee may be more than what is sent, or a large share of it. `values`: the greatest fee. */
  'highFee',
  /** Somebody gets control of something. `values`: of what, and who. */
  'changesControl',
  /** An active permission of Tron may replace all keys. `values`: the account, and how many of how many keys are enough. */
  'replacesOwner',
  /** The key that signs does not control an account of Tron afterwards. `values`: the key, and the account. */
  'losesControl',
  /** A program that a transfer calls gets the signature of an account. `values`: the token's mint, and the account. */
  'signsForHook',
  /** A program of Solana is closed, and can never be deployed again. `values`: the program. */
  'endsProgram',
  /** A program of Solana gets other code. `values`: the program, and the account with the code. */
  'upgradesProgram',
  /** A program owns an account of Solana which nobody has set up there. `values`: the account, and the program. */
  'programOwns',
  /** An account of Solana gets data, so that the System program moves nothing of it any more. `values`: the account. */
  'getsData',
  /** Others or fewer control a contract afterwards. `values`: the contract, and the function that does it. */
  'changesWhoControls',
  /** The control of a contract changes. `values`: the function, and how many owners are enough afterwards. */
  'ownersNeeded',
  /** The same. `values`: the function, and who is no owner afterwards. */
  'losesOwner',
  /** Somebody may spend tokens. `values`: how much, and who. */
  'letsSpend',
  /** Somebody may move every token of a contract. `values`: who, and the contract. */
  'letsMoveAll',
  /** Somebody gets something. `values`: how much, and who. */
  'goesTo',
  /** An account gets it that signs, or that gives it. `values`: the note. */
  'toOwn',
  /** An output of Bitcoin has no address. `values`: how much it gets, and its script. */
  'goesToScript',
  /** An address of a test network signs for Bitcoin, whose transactions name no network. */
  'alsoOnMainNetwork',
  /** A signature of Bitcoin fixes not all outputs. `values`: which it fixes. */
  'outputsOpen',
  /** A batch sends coins to address zero, which stands for the account itself in some versions. `values`: how much, and the account. */
  'lostOrOwn',
  /** A call creates a contract. `values`: the bytes of its code. */
  'createsContract',
  /** An approval of 0: for single tokens, it is the number of one. `values`: who may take that token, and the contract. */
  'endsOrLetsTake',
  /** The holder of the signature may take the offer. Nobody has to ask again. */
  'takenBySignature',
  /** The same, with what is offered. `values`: what, and for what. */
  'offers',
  /** Two things or more. `values`: the first, and the others. */
  'and',
  /** A transaction of a Safe runs code of another contract as its own. `values`: the contract. */
  'delegateCall',
  /** A Safe pays for the execution of its transaction. `values`: whom, how much for each gas, and how much at least. */
  'refundsFee',
  /** Nobody can withdraw a stake before its lockup ends. `values`: the stake, and who may lift the lockup. */
  'locksUp',
  /** A delegation on Tron is locked, and nobody can take it back. `values`: who has the resources, and `blocksOfTron`. */
  'locksDelegation',
  /** Blocks of Tron. `values`: how many, and about how long they take. */
  'blocksOfTron',
  /** An allowance so great that hardly any token has as much. */
  'nearlyUnlimited',
  /** A validator gets a stake to validate with. `values`: the stake, and its vote account. */
  'delegatesStake',
  /** A contract of Tron of which only an amount is known. `values`: its type, and the amount. */
  'doesOnTron',
  /** Somebody owes tokens from then on. `values`: how many, and who. */
  'makesDebt',
  /** Tokens pay what somebody owes. `values`: how many, and who. */
  'paysDebt',
  /** Consent to a transaction that only its contract has. `values`: its number, and the contract. */
  'agreesTo',
  /** Tokens are made. `values`: how many, and for which account. */
  'makesTokens',
  /** Tokens are destroyed. `values`: how many, and of which account. */
  'destroysTokens',
  /** Nobody can move the tokens of an account any more. `values`: the account. */
  'freezesAccount',
  /** New accounts of a token are frozen until somebody thaws them. `values`: the mint. */
  'freezesNewAccounts',
  /** Nobody can change or close a lookup table any more. `values`: the table. */
  'freezesTable',
  /** Tokens that were frozen can be moved again. `values`: the account, or the mint. */
  'thawsAccount',
  /** A token withholds a fee from each transfer. `values`: the mint, hundredths of a percent, and how much at most. */
  'withholdsFee',
  /** Fees that tokens withhold from what is sent. `values`: how much. */
  'feeWithheld',
  /** An account of tokens is no longer protected. `values`: the account, and the instruction that does it. */
  'endsProtection',
  /** A token shows or allows something else. `values`: the mint, the instruction that does it, and what it sets. */
  'setsForToken',
  /** The private key of an own account was exported. `values`: the account. */
  'ownIsExported',
  /** A program of Solana that is not read here and gets no data, so that there is nothing to count. `values`: the program. */
  'unreadProgram',
  /** A call that only an uploaded interface names. `values`: its function, and the interfaces. */
  'onlyInterface',
  /** A call in another one does what nobody here knows. `values`: its function or selector, and the contract. */
  'callsInside',
  /** Bytes that are signed and that nothing here reads. `values`: how many. */
  'unreadBytes',
  /** An uploaded interface gives other names to a function that is known without it. `values`: its name. */
  'otherNames',
  /** A function of an uploaded interface has the name of one that is known, and is another. `values`: its signature. */
  'borrowedName',
  /** An uploaded interface describes a program that is read here without it. `values`: its name. */
  'knownProgram',
  /** Bytes in arguments, which may hold further calls. Nothing here reads them. `values`: how many. */
  'innerBytes',
  /** A call holds more calls, or more levels of them, than are read. `values`: the most calls, and the most levels. */
  'callsBeyondLimit',
  /** The content has more values or levels than are read here. `values`: the most values. */
  'beyondLimit',
  /** A text beside a payment, which other programs may read as an order: of an output of Bitcoin, or a memo. */
  'dataBeside',
  /** The domain of typed data names no chain. */
  'noChain',
  /** The domain of typed data names no contract. */
  'noContract',
  /** Members of a document that its types lack, and which nobody signs. `values`: how many. */
  'notSigned',
  /** Typed data without a message. */
  'onlyDomain',
  ...organizationNoteCodes,
  /** More things than the title names. `values`: how many. */
  'andMore',
  /** The content cannot be read. */
  'unreadable',
  /** No interface names the function. `detail`: the selector. */
  'unknownCall',
  /** The function is known, and its arguments are not encoded as its interface says. */
  'argumentsUnreadable',
  /** A program or contract type that is not decoded here. */
  'notDecoded',
  /** The content does not say it. */
  'notInContent',
  /** Its value before the activity is not known any more. */
  'notKnownAnyMore',
  /** It does not exist, or does not exist any more. */
  'doesNotExist',
  /** Lamports of which only the chain says how many: the rent for so many bytes. `values`: how many bytes. */
  'rentFor',
  /** The same, where the account may have some of the bytes already. `values`: how many bytes at most. */
  'rentForUpTo',
  /** Tokens that have a number. `values`: how many, the number, and the contract. */
  'singleTokens',
  /** Whichever tokens of a contract. `values`: how many, and the contract. */
  'anyTokens',
  /** ERC-4626: of the token that a vault holds. `values`: how much in its smallest unit, and the vault. */
  'vaultAssets',
  /** ERC-4626: as many shares as a vault gives for so much. `values`: how much in the smallest unit, and the vault. */
  'vaultSharesFor',
  /** ERC-4626: as much as a vault gives for so many shares. `values`: how many in the smallest unit, and the vault. */
  'vaultAssetsFor',
  /** As much of a token as there is. `values`: the token. */
  'allTokens',
  /** Tokens of a contract of which only a hash is signed. `values`: how many, and the contract. */
  'hashedTokens',
  /** Read as ERC-20. For a contract of single tokens (ERC-721), the number names the token. */
  'amountOrTokenId',
  /** The same in a title. `values`: the amount. */
  'amountOrNumber',
  /** The account that acts or signs. `values`: the account. */
  'itself',
  /** Tokens that lists in the call name. `values`: their contract. */
  'listedTokens',
  /** The greatest amount that there is: everything, for ever. */
  'unlimited',
  /** An allowance of everything, in a sentence. `values`: the token. */
  'unlimitedTokens',
  /** One of as good as everything. `values`: the token. */
  'nearlyUnlimitedTokens',
  /** Valid on every chain. */
  'everyChain',
  /** The fee would hold for another one too: somebody could have it signed twice and combine the signatures. */
  'feeUncertain',
  /** Only a hash is signed. Nobody can know what it stands for. */
  'onlyHash',
  /** The 32 bytes may be a hash, or what is hashed once more before a transaction is signed. */
  'mayBeHash',
  /** Values of 32 bytes in typed data that may be hashes. `values`: how many. */
  'mayHoldHash',
  /** A document holds for an account other than the one that signs. `values`: the account. */
  'otherAccount',
  /** A transaction of Tron is of an account other than that of the key that signs. `values`: the account. */
  'otherOwner',
  /** Typed data of a type that is not known here. */
  'unknownDocument',
  /** The bytes are neither a text that a person can read nor of a form that is read here. */
  'unknownMeaning',
  /** A text has characters without a shape, or that change the order of others. `values`: how many. */
  'hiddenCharacters',
  /** A text is shown up to some character. */
  'cutText',
  /** A text has more white space in a row than texts have. `values`: how many line breaks, and how many other blanks. */
  'textGap',
  /** Texts take about two screens or more. `values`: their characters, and their lines. */
  'longText',
  /** Happens several times. `values`: how often, and the note. */
  'severalTimes',
  /** Holds for one payload of several. `values`: its number, how many there are, and the note. */
  'inPayload',
  /** Holds for some payloads of several. `values`: how many of them, of how many, the number of the first, and the note. */
  'inPayloads',
  /** The bytes read as a transaction. Rules about transactions do not see it here. `detail`: of which chain. */
  'isTransaction',
  /** A text that a program may read as a transaction or an order: JSON with their members, or a request to a server. */
  'mayBeTransaction',
  /** The bytes read as an authorization of EIP-7702. */
  'isAuthorization',
  /** The bytes read as the two hashes of typed data (EIP-712), without the data. */
  'isTypedData',
  /** Only a lookup table on the chain names the account. */
  'addressTableLookup',
  /** The same, with its place. `values`: the index, and the table. */
  'lookedUpAccount',
  /** A transaction of Solana with a durable nonce does not expire. */
  'untilNonceAdvances',
  /** More than fits into one explanation. */
  'tooMuch',
  /** A secret or a token, which is not shown. */
  'hidden',
] as const
export type NoteCode = (typeof noteCodes)[number]
