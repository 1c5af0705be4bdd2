-- Values that differ from run to run: these cases ask for their shape.

-- GENERATE_UUID has the form of a random UUID in lower case
SELECT REGEXP_CONTAINS(GENERATE_UUID(), r'^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$')
--> ["true"]

-- GENERATE_UUID is another one in each row
SELECT COUNT(DISTINCT id) FROM (SELECT GENERATE_UUID() AS id FROM UNNEST(GENERATE_ARRAY(1, 50)))
--> ["50"]

-- two calls of GENERATE_UUID in a row differ
SELECT GENERATE_UUID() = GENERATE_UUID()
--> ["false"]

-- GENERATE_UUID has 36 characters
SELECT LENGTH(GENERATE_UUID()), ARRAY_LENGTH(SPLIT(GENERATE_UUID(), "-"))
--> ["36", "5"]

-- RAND is at least 0 and less than 1
SELECT LOGICAL_AND(x >= 0 AND x < 1), COUNT(DISTINCT x) > 1 FROM (SELECT RAND() AS x FROM UNNEST(GENERATE_ARRAY(1, 50)))
--> ["true", "true"]

-- the current time is the same throughout a query
SELECT CURRENT_TIMESTAMP() = CURRENT_TIMESTAMP, COUNT(DISTINCT t), CURRENT_DATE() = DATE(CURRENT_TIMESTAMP()) FROM (SELECT CURRENT_TIMESTAMP() AS t FROM UNNEST([1, 2, 3]))
--> ["true", "1", "true"]

-- SESSION_USER is an address
SELECT SESSION_USER() LIKE '%@%'
--> ["true"]

-- FARM_FINGERPRINT and the SHA functions give the same for the same text
SELECT FARM_FINGERPRINT('1footrue'), FARM_FINGERPRINT('2applefalse'), TO_HEX(SHA1('')), TO_HEX(SHA256('abc'))
--> ["-1541654101129638711", "2794438866806483259", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]
