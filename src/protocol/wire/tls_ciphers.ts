/**
 * To be added to the ciphers, in OpenSSL's form, of connections to servers that strangers name: without Diffie-Hellman
 * over finite fields (RFC 5246), where the server chooses the group. A long one keeps the thread busy before the
 * certificate is judged.
 */
export const noGroupOfServer = '!kDHE'
