"""A TLS server that sends as many session tickets as it is told, and no answer. It prints its port.

Arguments: a PEM file with a certificate and its key, the number of tickets.
"""

import socket
import ssl
import sys

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
context.num_tickets = int(sys.argv[2])
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
while True:
    accepted, _ = listening.accept()
    try:
        with context.wrap_socket(accepted, server_side=True) as connection:
            while connection.recv(65536):
                pass
    except OSError:
        pass  # the client has hung up
